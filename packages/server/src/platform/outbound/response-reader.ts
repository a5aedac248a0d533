/**
 * Parses one HTTP/1.1 answer from the bytes of a connection. Strict, because the server is untrusted: ambiguous input is an error.
 * Independent of sockets.
 */
import { OutboundFault } from './outbound-fault.ts';

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CHUNK_LINE = 256;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
/** A size, and extensions without quotes; no server we met sends others. */
const CHUNK_LINE = /^([\da-f]{1,8})(?:;[\w!#$%&'*+\-.^`|~]+(?:=[\w!#$%&'*+\-.^`|~]+)?)*$/i;
const FRAMING_VALUE = /^[\t ]*[\dA-Za-z]+$/;
const NOT_IN_VALUES = /[^\t\x20-\x7e\x80-\xff]/;

export type ResponseHeaders = Readonly<Record<string, string>>;

export interface ResponseLimits {
  readonly maxBodyBytes: number;
  /** A longer body is an error (`fail`) or is cut (`cut`). */
  readonly overflow: 'fail' | 'cut';
}

type Stage = 'head' | 'length' | 'chunk_line' | 'chunk' | 'chunk_end' | 'trailer' | 'until_close' | 'done';

export class ResponseReader {
  status: number | undefined;
  headers: ResponseHeaders = {};
  /** The answer had a clear end, so another call may follow on the connection. */
  reusable = false;

  private readonly limits: ResponseLimits;
  private stage: Stage = 'head';
  /** Bytes that are not understood yet. */
  private pending: Buffer = NOTHING;
  private headBytes = 0;
  /** Bytes of the body, or of the chunk, still to come. */
  private left = 0;
  private readonly chunks: Buffer[] = [];
  private size = 0;

  constructor(limits: ResponseLimits) {
    this.limits = limits;
  }

  get isDone(): boolean {
    return this.stage === 'done';
  }

  get body(): Buffer {
    return this.chunks.length === 1 ? (this.chunks[0] ?? NOTHING) : Buffer.concat(this.chunks);
  }

  /** Throws an OutboundFault when this cannot be an answer. */
  feed(bytes: Buffer): void {
    this.pending = this.pending.length === 0 ? bytes : Buffer.concat([this.pending, bytes]);
    while (this.stage !== 'done' && this.step());
    // More than one answer to one request: do not reuse the connection.
    if (this.stage === 'done' && this.pending.length > 0) this.reusable = false;
  }

  /** The other side has closed. */
  end(): void {
    if (this.stage === 'until_close') this.stage = 'done';
    if (this.stage === 'done') return;
    if (this.status === undefined) throw new OutboundFault('protocol', 'No HTTP answer came back.');
    throw new OutboundFault('protocol', 'The connection broke before the answer ended.', this.status);
  }

  /** One step further; false when more bytes are needed first. */
  private step(): boolean {
    switch (this.stage) {
      case 'head':
        return this.readHead();
      case 'length':
      case 'chunk':
        return this.readCounted();
      case 'until_close':
        return this.keep(this.take(this.pending.length));
      case 'chunk_line':
        return this.readChunkLine();
      case 'chunk_end':
        return this.readChunkEnd();
      case 'trailer':
        return this.readTrailer();
      default:
        return false;
    }
  }

  private readHead(): boolean {
    const end = this.pending.indexOf(END_OF_HEAD);
    if (this.headBytes + (end < 0 ? this.pending.length : end) > MAX_HEADER_BYTES)
      throw new OutboundFault('too_large', 'The headers of the answer are too large.');
    if (end < 0) {
      // Fail early, so that a server of another protocol is recognised by its greeting and not by a timeout.
      if (this.pending.length >= 5 && this.pending.toString('latin1', 0, 5) !== 'HTTP/') throw noHttp();
      return false;
    }
    this.headBytes += end;
    const lines = this.take(end).toString('latin1').split('\r\n');
    this.take(END_OF_HEAD.length);
    const start = STATUS_LINE.exec(lines[0] ?? '');
    if (start === null) throw noHttp();
    const status = Number(start[2]);
    const headers = readHeaders(lines);
    if (status === 101) throw noHttp();
    // An interim answer has no body, and HTTP/1.0 has none of them; the real one follows.
    if (status < 200) {
      if (start[1] === '0' || 'content-length' in headers || 'transfer-encoding' in headers) throw this.malformed();
      return true;
    }
    this.status = status;
    this.headers = headers;
    this.beginBody(start[1] === '1');
    return true;
  }

  private beginBody(isCurrentVersion: boolean): void {
    const { 'transfer-encoding': coding, 'content-length': length, connection = '' } = this.headers;
    this.reusable = isCurrentVersion && !/\bclose\b/i.test(connection);
    if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || length !== undefined)) throw this.malformed();
    if (length !== undefined && !/^\d{1,15}$/.test(length)) throw this.malformed();
    // These two have no body, whatever their fields announce.
    if (this.status === 204 || this.status === 304) {
      this.stage = 'done';
    } else if (coding !== undefined) {
      this.stage = 'chunk_line';
    } else if (length !== undefined) {
      this.left = Number(length);
      this.stage = this.left === 0 ? 'done' : 'length';
    } else {
      this.reusable = false;
      this.stage = 'until_close';
    }
  }

  private readCounted(): boolean {
    if (this.pending.length === 0) return false;
    const part = this.take(Math.min(this.left, this.pending.length));
    this.left -= part.length;
    if (!this.keep(part)) return false;
    if (this.left > 0) return false;
    this.stage = this.stage === 'length' ? 'done' : 'chunk_end';
    return true;
  }

  private readChunkLine(): boolean {
    const line = this.takeLine();
    if (line === undefined) return false;
    const size = CHUNK_LINE.exec(line)?.[1];
    if (size === undefined) throw this.malformed();
    this.left = Number.parseInt(size, 16);
    this.stage = this.left === 0 ? 'trailer' : 'chunk';
    return true;
  }

  private readChunkEnd(): boolean {
    if (this.pending.length < LINE_END.length) return false;
    if (!this.take(LINE_END.length).equals(LINE_END)) throw this.malformed();
    this.stage = 'chunk_line';
    return true;
  }

  /** Checks the trailer fields and drops them. */
  private readTrailer(): boolean {
    const line = this.takeLine();
    if (line === undefined) return false;
    this.headBytes += line.length;
    if (this.headBytes > MAX_HEADER_BYTES) throw new OutboundFault('too_large', 'The headers of the answer are too large.', this.status);
    if (line === '') this.stage = 'done';
    else if (isFraming(readField(line)[0])) throw this.malformed();
    return true;
  }

  private takeLine(): string | undefined {
    const end = this.pending.indexOf(LINE_END);
    if ((end < 0 ? this.pending.length : end) > (this.stage === 'trailer' ? MAX_HEADER_BYTES : MAX_CHUNK_LINE)) throw this.malformed();
    if (end < 0) return undefined;
    const line = this.take(end).toString('latin1');
    this.take(LINE_END.length);
    return line;
  }

  private take(count: number): Buffer {
    const taken = this.pending.subarray(0, count);
    this.pending = this.pending.subarray(count);
    return taken;
  }

  /** False when nothing more is wanted or, for now, there. */
  private keep(part: Buffer): boolean {
    if (part.length === 0) return false;
    const room = this.limits.maxBodyBytes - this.size;
    if (part.length > room && this.limits.overflow === 'fail')
      throw new OutboundFault('too_large', `The answer is larger than ${this.limits.maxBodyBytes} bytes.`, this.status);
    this.chunks.push(part.length > room ? part.subarray(0, room) : part);
    this.size += part.length;
    if (part.length <= room) return true;
    this.reusable = false;
    this.stage = 'done';
    return false;
  }

  private malformed(): OutboundFault {
    return new OutboundFault('protocol', 'The answer is not well-formed HTTP.', this.status);
  }
}

function noHttp(): OutboundFault {
  return new OutboundFault('protocol', 'What came back is not HTTP.');
}

/** Fields that came twice are joined, except where two values mean two different answers. */
function readHeaders(lines: readonly string[]): ResponseHeaders {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 1; at < lines.length; at++) {
    const [name, value] = readField(lines[at] ?? '');
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (name !== 'content-length') headers[name] = `${before}, ${value}`;
    else if (before !== value) throw new OutboundFault('protocol', 'The answer is not well-formed HTTP.');
  }
  return headers;
}

/** Says where the body ends. */
function isFraming(name: string): boolean {
  return name === 'content-length' || name === 'transfer-encoding';
}

function readField(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  const name = readName(line.slice(0, Math.max(colon, 0)));
  const text = line.slice(colon + 1);
  // Parsers disagree about spaces after these two values, and so about where the answer ends.
  if (name === undefined || NOT_IN_VALUES.test(text) || (isFraming(name) && !FRAMING_VALUE.test(text)))
    throw new OutboundFault('protocol', 'The answer is not well-formed HTTP.');
  return [name, text.trim()];
}

/** The few spellings that servers really use, so that each is looked at once. */
const knownNames = new Map<string, string>();
const MOST_NAMES = 500;

/** In lower case; undefined when it cannot be a name. */
function readName(text: string): string | undefined {
  const known = knownNames.get(text);
  if (known !== undefined) return known;
  if (!HEADER_NAME.test(text)) return undefined;
  const name = text.toLowerCase();
  if (knownNames.size < MOST_NAMES && text.length < 50) knownNames.set(text, name);
  return name;
}
