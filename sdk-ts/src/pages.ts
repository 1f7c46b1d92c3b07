/** Lists that come in pages. */
import type { CallOptions, Connection } from "./connection.js";
import { asObject, text } from "./normalise.js";
import type { paths } from "./openapi.js";

const MAX_PAGES = 100;

/** Every row of every page. Of the link to the next page only the query counts: the key stays where it was meant to go. */
export async function* listPages<T>(
  connection: Connection,
  path: keyof paths,
  read: (page: unknown) => readonly T[],
  options?: CallOptions,
  query: Readonly<Record<string, string | number | undefined>> = {},
): AsyncGenerator<T, void, undefined> {
  let asked = query;
  for (let number = 0; number < MAX_PAGES; number++) {
    const page = await connection.json({ method: "GET", path, query: asked }, options);
    yield* read(page);
    const next = text(asObject(page)["next"]);
    if (!next) return;
    asked = Object.fromEntries(new URL(next, connection.baseUrl).searchParams);
  }
}
