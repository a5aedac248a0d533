/** Parses server-sent events from a body: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface SseMessage {
  /** The last id so far, also of a message without data. */
  readonly id: string;
  readonly event: string;
  /** Undefined for a message with only an id, or a heartbeat. */
  readonly data: string | undefined;
}

/** Longest accepted line; events of the service are shorter. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** Calls `onChunk` for every chunk, also of comments such as heartbeats. */
export async function* readSse(body: AsyncIterable<Uint8Array>, onChunk: () => void = () => undefined): AsyncGenerator<SseMessage> {
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const line of splitLines(body, onChunk)) {
    if (line === '') {
      yield { id, event: event === '' ? 'message' : event, data: data.length === 0 ? undefined : data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const at = line.indexOf(':');
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (field === 'id' && !value.includes('\0')) id = value;
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
}

/** Splits into lines that end with LF, CR or both; an unfinished line at the end of the body is dropped. */
async function* splitLines(body: AsyncIterable<Uint8Array>, onChunk: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    onChunk();
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end of a chunk may be the first half of CR LF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new Error('a line of the event stream does not end');
    yield* lines;
  }
}
