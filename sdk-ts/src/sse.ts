/** Server-sent events out of bytes, however the network cuts them up. Knows nothing of what they mean. */
import { InvalidResponseError } from "./errors.js";

// Characters of one event. The longest answers are a thousandth of this.
const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

export interface ServerSentEvent {
  /** The last id that was sent, as the standard has it. */
  id: string;
  data: string;
}

/** Feed it bytes; it gives every event that is complete. One decoder for one stream. */
export class EventDecoder {
  #decoder = new TextDecoder();
  #line = "";
  #data: string[] = [];
  #size = 0;
  #id = "";
  #isAfterReturn = false;

  /** The events that this chunk completes. Throws `InvalidResponseError` for one without end. */
  feed(chunk: Uint8Array): ServerSentEvent[] {
    return this.#read(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The event that the stream's end left without its blank line, if there is any. */
  finish(): ServerSentEvent[] {
    return this.#read(`${this.#decoder.decode()}\n\n`);
  }

  #read(decoded: string): ServerSentEvent[] {
    let text = decoded;
    if (this.#isAfterReturn && text.startsWith("\n")) text = text.slice(1); // the other half of a line's end
    if (text) this.#isAfterReturn = text.endsWith("\r");
    const [first = "", ...others] = text.split(/\r\n|\r|\n/);
    this.#line += first;
    const found: ServerSentEvent[] = [];
    for (const next of others) {
      const event = this.#endLine();
      if (event) found.push(event);
      this.#line = next;
    }
    if (this.#line.length + this.#size > MAX_EVENT_LENGTH) {
      throw new InvalidResponseError("The server sent an event that is too long.");
    }
    return found;
  }

  #endLine(): ServerSentEvent | undefined {
    const line = this.#line;
    if (!line) return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") {
      this.#data.push(value);
      this.#size += value.length;
    } else if (field === "id" && !value.includes("\0")) {
      this.#id = value;
    }
    return undefined;
  }

  #dispatch(): ServerSentEvent | undefined {
    const data = this.#data;
    [this.#data, this.#size] = [[], 0];
    return data.length ? { id: this.#id, data: data.join("\n") } : undefined;
  }
}
