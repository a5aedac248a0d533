/** Server-sent events out of a body: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface SseMessage {
  /** The last id so far, also of a message without data. */
  readonly id: string;
  readonly event: string;
  /** Undefined when only an id or a sign of life came. */
  readonly data: string | undefined;
}

/** A line beyond this is no event of ours. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** `onChunk` hears of every sign of life, comments included. */
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

/** Lines end with LF, CR or both; what has no end when the body has one is not a line. */
async function* splitLines(body: AsyncIterable<Uint8Array>, onChunk: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    onChunk();
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the very end may be the first half of an end of line.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new Error('a line of the event stream does not end');
    yield* lines;
  }
}
