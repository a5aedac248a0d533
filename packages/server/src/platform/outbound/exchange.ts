/**
 * One request on an open connection, and its answer as Node's own HTTP client reads it. The server is untrusted, so ambiguous input is an
 * error, and a connection with bytes after the answer is not reused.
 */
import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { OutboundFault } from './outbound-fault.ts';

const MAX_HEADER_BYTES = 16 * 1024;
/** Limit of bytes on the wire. One read brings at most 64 KiB, and a body in chunks of one byte is six times as long on the wire. */
const WIRE_BYTES = { atLeast: 64 * 1024, perBodyByte: 16 };
const END_OF_HEAD = Buffer.from('\r\n\r\n');
/** Limit of parts, because each costs Node a Buffer of its own. A server that flushes often sends some hundred bytes at once. */
const PARTS = { atLeast: 1_000, bytesEach: 16 };
/** Node's parser passes on any other value of this field as it came, even with a tab after the word. */
const CHUNKED = /^transfer-encoding:[\t ]*chunked\r$/im;
const NOTHING = Buffer.alloc(0);

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: string;
}

export type AnswerHeaders = Readonly<Record<string, string>>;

export interface WireAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
}

export interface AnswerLimits {
  readonly maxBodyBytes: number;
  /** A longer body is an error (`fail`) or is cut (`cut`). */
  readonly overflow: 'fail' | 'cut';
}

export interface Outcome {
  /** Called when the status is known, before the body has arrived. */
  onHead(): void;
  /** `reusable`: the answer had a clear end, so another call may follow on the connection. */
  onAnswer(answer: WireAnswer, reusable: boolean): void;
  onFault(fault: OutboundFault): void;
}

export class Exchange {
  /** Status, if the headers have arrived. */
  status: number | undefined;

  private readonly limits: AnswerLimits;
  /** Undefined when the exchange is over. */
  private outcome: Outcome | undefined;
  private request: ClientRequest | undefined;
  private response: IncomingMessage | undefined;
  private headers: AnswerHeaders = {};
  /** All bytes before the body, and those that came with them; released when the body begins. */
  private head: Buffer = NOTHING;
  private headBytes = 0;
  private tail: Buffer = NOTHING;
  private received = 0;
  private interimAnswers = 0;
  /** The first `size` bytes are the body so far; the rest is free. */
  private body: Buffer = NOTHING;
  private size = 0;
  private parts = 0;

  constructor(limits: AnswerLimits, outcome: Outcome) {
    this.limits = limits;
    this.outcome = outcome;
  }

  start(socket: Socket, asked: WireRequest, keepAlive: boolean): void {
    if (this.outcome === undefined) return;
    if (socket.destroyed) {
      this.breakOff();
      return;
    }
    try {
      this.send(socket, asked, keepAlive);
    } catch (error) {
      this.fail(unsendable(error));
    }
  }

  /** Checks the bytes before Node reads them. */
  noteBytes(bytes: Buffer): void {
    this.received += bytes.length;
    const fault = this.faultOfAmount();
    if (fault !== undefined) {
      this.fail(fault);
      return;
    }
    if (this.status === undefined) this.head = this.head.length === 0 ? bytes : Buffer.concat([this.head, bytes]);
    this.tail = bytes.length >= END_OF_HEAD.length ? bytes : Buffer.concat([this.tail.subarray(-END_OF_HEAD.length), bytes]);
  }

  fail(fault: OutboundFault): void {
    this.close()?.onFault(fault);
  }

  private send(socket: Socket, { method, path, headers, body }: WireRequest, keepAlive: boolean): void {
    const request = sendRequest({
      createConnection: () => socket,
      method,
      path,
      headers,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Set explicitly, because an option of the process can change the default.
      insecureHTTPParser: false,
    });
    this.request = request;
    // No limit of the count, because the size is limited, and Node would drop fields beyond a count although it has obeyed them.
    request.maxHeadersCount = 0;
    // Without an agent Node closes the connection after the answer, whatever the header says.
    request.shouldKeepAlive = keepAlive;
    request.on('information', (interim) => this.noteInterim(interim));
    request.on('response', (response) => this.beginBody(response));
    request.on('error', (error: NodeJS.ErrnoException) => this.breakOff(error.code));
    request.on('close', () => this.finish());
    request.end(body);
  }

  /** An interim answer must not have a body, and HTTP/1.0 has no interim answers. */
  private noteInterim({ rawHeaders, httpVersionMinor }: { rawHeaders: string[]; httpVersionMinor: number }): void {
    this.interimAnswers += 1;
    if (httpVersionMinor === 0 || hasFraming(rawHeaders)) this.fail(this.malformed());
  }

  private beginBody(response: IncomingMessage): void {
    if (this.outcome === undefined) return;
    const fault = this.readHead(response);
    if (fault !== undefined) {
      this.fail(fault);
      return;
    }
    this.response = response;
    response.on('data', (part: Buffer) => this.keep(part));
    response.on('error', (error: NodeJS.ErrnoException) => this.breakOff(error.code));
    // Finish here, because Node itself waits until the rest of the request is sent, which the server may never read.
    response.on('end', () => this.finish());
    if (!response.complete) this.outcome.onHead();
  }

  private readHead({ statusCode = 0, httpVersionMajor, rawHeaders }: IncomingMessage): OutboundFault | undefined {
    if (httpVersionMajor !== 1 || statusCode < 200) return noHttp();
    for (let heads = 0; heads <= this.interimAnswers; heads++)
      this.headBytes = this.head.indexOf(END_OF_HEAD, this.headBytes) + END_OF_HEAD.length;
    if (this.headBytes > MAX_HEADER_BYTES) return headersTooLarge();
    this.status = statusCode;
    this.headers = readHeaders(rawHeaders);
    if (!this.isCodingClear()) return this.malformed();
    this.head = NOTHING;
    return undefined;
  }

  /** Two fields are joined by a comma, and so are refused here. */
  private isCodingClear(): boolean {
    const coding = this.headers['transfer-encoding'];
    if (coding === undefined) return true;
    return coding.toLowerCase() === 'chunked' && CHUNKED.test(this.head.toString('latin1', 0, this.headBytes));
  }

  private keep(part: Buffer): void {
    if (this.outcome === undefined) return;
    const { maxBodyBytes, overflow } = this.limits;
    const room = maxBodyBytes - this.size;
    this.parts += 1;
    if (this.parts > PARTS.atLeast + maxBodyBytes / PARTS.bytesEach) this.fail(this.tooFinelyCut());
    else if (part.length <= room) this.append(part);
    else if (overflow === 'fail') this.fail(this.tooLarge());
    else {
      this.append(part.subarray(0, room));
      this.succeed(false);
    }
  }

  /** Copies the part, because a small part can keep a larger buffer in memory. */
  private append(part: Buffer): void {
    const size = this.size + part.length;
    if (size > this.body.length) {
      const longer = Buffer.allocUnsafe(Math.min(Math.max(size, 2 * this.body.length), this.limits.maxBodyBytes));
      this.body.copy(longer, 0, 0, this.size);
      this.body = longer;
    }
    part.copy(this.body, this.size);
    this.size = size;
  }

  /** Called when the answer is complete, or the connection has ended. */
  private finish(): void {
    if (this.outcome === undefined) return;
    if (this.response?.complete !== true) this.breakOff();
    else if (hasFraming(this.response.rawTrailers)) this.fail(this.malformed());
    else this.succeed(this.isFitForAnother(this.response));
  }

  private succeed(reusable: boolean): void {
    const answer = { status: this.status ?? 0, headers: this.headers, body: this.body.subarray(0, this.size) };
    this.close()?.onAnswer(answer, reusable);
  }

  /** Releases all references: an idle socket refers to its last request, and through it to this object. */
  private close(): Outcome | undefined {
    const { outcome } = this;
    this.outcome = undefined;
    this.request = undefined;
    this.response = undefined;
    this.headers = {};
    this.head = NOTHING;
    this.tail = NOTHING;
    this.body = NOTHING;
    return outcome;
  }

  /** Whether another call may follow on the connection. */
  private isFitForAnother({ httpVersionMinor, rawTrailers }: IncomingMessage): boolean {
    const isWanted = this.request?.shouldKeepAlive === true && this.request.writableFinished;
    if (!isWanted || httpVersionMinor !== 1 || !this.endsWithTheBytes()) return false;
    // Node counts the names and values of trailers, but not their spaces and line breaks.
    return rawTrailers.length === 0 || this.received - this.headBytes - this.size <= MAX_HEADER_BYTES;
  }

  /** Whether no bytes followed the answer. Node silently drops the beginning of a second one. */
  private endsWithTheBytes(): boolean {
    // Only the last bytes need a check: Node would have noticed the whole head of a second answer.
    if (this.headers['transfer-encoding'] !== undefined) return this.tail.subarray(-END_OF_HEAD.length).equals(END_OF_HEAD);
    return this.received === this.headBytes + this.size;
  }

  private breakOff(code?: string): void {
    // A failure after a complete answer does not matter.
    if (this.response?.complete !== true) this.fail(this.explain(code));
  }

  private explain(code: string | undefined): OutboundFault {
    if (code === 'HPE_HEADER_OVERFLOW' || this.isHeadTooLarge()) return headersTooLarge(this.status);
    if (code === 'HPE_INVALID_CONSTANT' || code === 'HPE_INVALID_VERSION') return noHttp();
    if (code?.startsWith('HPE_') === true && code !== 'HPE_INVALID_EOF_STATE') return this.malformed();
    const words = this.status === undefined ? 'No HTTP answer came back' : 'The connection broke before the answer ended';
    return new OutboundFault('protocol', `${words}${code === undefined ? '' : ` (${code})`}.`, this.status);
  }

  private faultOfAmount(): OutboundFault | undefined {
    if (this.request === undefined) return new OutboundFault('protocol', 'The server sent data before it was asked.');
    if (this.isHeadTooLarge()) return headersTooLarge();
    const mostBytes = WIRE_BYTES.atLeast + WIRE_BYTES.perBodyByte * this.limits.maxBodyBytes;
    return this.received > mostBytes ? this.tooLarge() : undefined;
  }

  /** Checked here, because Node counts names and values only. */
  private isHeadTooLarge(): boolean {
    return this.status === undefined && this.head.length > MAX_HEADER_BYTES;
  }

  private tooLarge(): OutboundFault {
    return new OutboundFault('too_large', `The answer is larger than ${this.limits.maxBodyBytes} bytes.`, this.status);
  }

  private tooFinelyCut(): OutboundFault {
    return new OutboundFault('too_large', 'The answer comes in too many small parts.', this.status);
  }

  private malformed(): OutboundFault {
    return new OutboundFault('protocol', 'The answer is not well-formed HTTP.', this.status);
  }
}

function noHttp(): OutboundFault {
  return new OutboundFault('protocol', 'What came back is not HTTP.');
}

function unsendable(error: unknown): OutboundFault {
  const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
  return new OutboundFault('protocol', `The request cannot be sent${code}.`);
}

function headersTooLarge(status?: number): OutboundFault {
  return new OutboundFault('too_large', 'The headers of the answer are too large.', status);
}

/** Repeated fields are joined; Node has refused repeated lengths. */
function readHeaders(raw: readonly string[]): AnswerHeaders {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? (raw[at + 1] ?? '') : `${before}, ${raw[at + 1]}`;
  }
  return headers;
}

/** Whether a field states where a body ends. */
function hasFraming(raw: readonly string[]): boolean {
  return raw.some((name, at) => at % 2 === 0 && /^(?:content-length|transfer-encoding)$/i.test(name));
}
