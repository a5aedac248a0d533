/**
 * Writes an answer whose head was spelled out before. Node looks at every character of every header each time it writes them; for the six
 * kilobytes of a 402 that is a quarter of all its work, so the head is looked at once, when it is kept, and then handed over as it goes out.
 */
import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import { httpDate } from '../../platform/clock/http-date.ts';

export interface PreparedAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Status line and headers, without the empty line. */
  readonly head: string;
  /** In ASCII. */
  readonly body: string;
}

export function prepareAnswer(status: number, headers: Readonly<Record<string, string>>, body: string): PreparedAnswer {
  const all = { ...headers, 'Content-Length': String(body.length) };
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const [name, value] of Object.entries(all)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    head += `${name}: ${value}\r\n`;
  }
  return { status, headers: all, head, body };
}

/** `own` are the headers of this one answer, made by us: nothing a stranger said may be in them unchecked. */
export function writePrepared(
  response: ServerResponse,
  { status, headers, head, body }: PreparedAnswer,
  own: Readonly<Record<string, string>>,
  keepAliveMs: number,
): void {
  if (!response.shouldKeepAlive) {
    response.writeHead(status, { ...headers, ...own }).end(body, 'latin1');
    return;
  }
  let whole = head;
  for (const name in own) whole += `${name}: ${own[name]}\r\n`;
  whole += `Date: ${httpDate()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;
  response.statusCode = status;
  // Where Node itself puts the head it has made. There is no public way; a test compares what arrives.
  (response as unknown as { _header: string })._header = whole;
  response.end(body, 'latin1');
}
