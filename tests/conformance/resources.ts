/** Resources of the conformance upstream. */
import { InvalidParams, type Json } from "./client.ts";
import { PNG } from "./media.ts";

const TEXT = {
  uri: "test://static-text",
  mimeType: "text/plain",
  text: "This is the content of the static text resource.",
};
const BINARY = { uri: "test://static-binary", mimeType: "image/png", blob: PNG };
const WATCHED = { uri: "test://watched-resource", mimeType: "text/plain", text: "Watched" };

const CONTENTS: readonly { readonly uri: string; readonly mimeType: string }[] = [TEXT, BINARY, WATCHED];

export const RESOURCES: readonly Json[] = CONTENTS.map(({ uri, mimeType }) => ({
  uri,
  mimeType,
  name: uri.slice("test://".length),
  description: `The resource ${uri}`,
}));

export const RESOURCE_TEMPLATES: readonly Json[] = [{
  uriTemplate: "test://template/{id}/data",
  name: "template",
  description: "Data by id",
  mimeType: "application/json",
}];

export function readResource(uri: string): Json {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text }] };
  }
  const content = CONTENTS.find((each) => each.uri === uri);
  if (content === undefined) throw new InvalidParams(`There is no resource "${uri}"`);
  return { contents: [content] };
}
