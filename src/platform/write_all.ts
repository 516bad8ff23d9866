/** Writes every byte; a write to a socket may take a part only. Waits for as long as the peer does not read. */
export async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  let sent = await connection.write(bytes);
  while (sent < bytes.length) sent += await connection.write(bytes.subarray(sent));
}
