/**
 * Why a file could not be used, in the words of a message; the runtime's own texts repeat the path and the system call.
 */

import { messageOf } from "../errors.ts";

/** The reason as a clause: `it does not exist`, `permission denied`, … */
export function describeFileFault(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.NotCapable) return "the program has no permission to reach it";
  if (error instanceof Deno.errors.IsADirectory) return "it is a directory";
  if (error instanceof Deno.errors.NotADirectory) return "a part of its path is no directory";
  return messageOf(error).replace(/ \(os error \d+\).*$/s, "");
}
