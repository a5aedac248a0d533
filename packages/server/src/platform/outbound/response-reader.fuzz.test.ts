/**
 * Broken answers by the thousand, made from a seed: `RESPONSE_FUZZ_INPUTS=1000000` runs the full million, `RESPONSE_FUZZ_SEED=7` another series.
 * Node's own parser (llhttp) is the judge: what we accept, it must read as the same status and the same body.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutboundFault } from './outbound-fault.ts';
import { ResponseReader } from './response-reader.ts';

const INPUTS = Number(process.env['RESPONSE_FUZZ_INPUTS'] ?? 20_000);
const SEED = Number(process.env['RESPONSE_FUZZ_SEED'] ?? 20_261_116);
const MAX_BODY_BYTES = 300;

type Random = (below: number) => number;

/** Mulberry32: small, fast, and the same everywhere. */
function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const statusLines = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 202 Accepted',
  'HTTP/1.1 404 Not Found',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 201 Created',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.1 500',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 302 Fo\xfcnd',
  'HTTP/1.1 101 Switching Protocols',
  'HTTP/1.1 99 Low',
  'HTTP/1.1 1000 High',
  'HTTP/2.0 200 OK',
  'http/1.1 200 OK',
];
const fields = [
  'Content-Type: text/plain',
  'Connection: close',
  'Connection: keep-alive',
  'Keep-Alive: timeout=5',
  'Location: http://127.0.0.1/',
  'X-Empty:',
  'X-Spaces:   a b   ',
  'Set-Cookie: a=b',
  'Upgrade: websocket',
  'Connection: upgrade',
  'Trailer: X-Sum',
  'X Name: a',
  ': nameless',
  ' folded',
];
const framings = [
  '',
  'Content-Length: ',
  'Content-Length: ',
  'content-length:',
  'Content-Length: +',
  'Content-Length: 0x',
  'Content-Length : ',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked',
  'transfer-encoding:CHUNKED',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: \x0bchunked',
];
const breakages = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  ':',
  '\t',
  ';',
  ',',
  '0',
  'HTTP/1.1 ',
  '\r\n\r\n',
  'Content-Length: 3\r\n',
  '\xff',
  '-1',
  '\u0085',
];

function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)] as T;
}

function composeBody(random: Random, isChunked: boolean): string {
  const body = 'abcdefghij'.repeat(40).slice(0, random(8) === 0 ? 250 + random(150) : random(30));
  if (!isChunked) return body;
  let wire = '';
  for (let at = 0; at < body.length; ) {
    const part = body.slice(at, at + 1 + random(body.length));
    wire += `${pick(random, ['', '', '0', '00'])}${part.length.toString(16)}${pick(random, ['', '', ';a=b', ';a;b=c', ' ', ';', ';a="b"'])}\r\n${part}\r\n`;
    at += part.length;
  }
  return `${wire}0\r\n${random(6) === 0 ? 'X-Sum: 1\r\n' : ''}\r\n`;
}

function composeAnswer(random: Random): string {
  const interim = random(10) === 0 ? pick(random, ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n']) : '';
  const framing = pick(random, framings);
  const body = composeBody(random, /chunked/i.test(framing));
  const lines = [pick(random, statusLines)];
  for (let count = random(4); count > 0; count--) lines.push(pick(random, fields));
  const announced = random(8) === 0 ? random(400) : body.length;
  if (framing !== '') lines.splice(1 + random(lines.length), 0, /length/i.test(framing) ? `${framing}${announced}` : framing);
  if (random(15) === 0) lines.push(`Content-Length: ${announced}`);
  return `${interim}${lines.join('\r\n')}\r\n\r\n${body}${random(10) === 0 ? 'HTTP/1.1 200 OK\r\n\r\n' : ''}`;
}

/** One answer of three stays as composed; the others get one to four random injuries. */
function injure(random: Random, answer: string): string {
  if (random(3) === 0) return answer;
  let injured = answer;
  for (let count = 1 + random(4); count > 0; count--) {
    const at = random(injured.length + 1);
    const span = random(4) === 0 ? random(20) : random(2);
    const inserted = random(3) === 0 ? String.fromCharCode(random(256)) : random(3) === 0 ? '' : pick(random, breakages);
    injured = injured.slice(0, at) + inserted + injured.slice(at + span);
  }
  return random(5) === 0 ? injured.slice(0, random(injured.length + 1)) : injured;
}

/** `200 body`, or the kind of the fault. Any other error leaves this function. */
function readOurs(pieces: readonly Buffer[]): string {
  const reader = new ResponseReader({ maxBodyBytes: MAX_BODY_BYTES, overflow: 'fail' });
  try {
    for (const piece of pieces) if (!reader.isDone) reader.feed(piece);
    reader.end();
  } catch (fault) {
    if (fault instanceof OutboundFault) return fault.kind;
    throw fault;
  }
  return `${reader.status} ${reader.body.toString('latin1')}`;
}

interface NodeParser {
  initialize(kind: number, resource: object): void;
  execute(bytes: Buffer): number | Error;
  finish(): Error | undefined;
  [callback: number]: (...args: never[]) => unknown;
}
interface NodeParserClass {
  new (): NodeParser;
  readonly RESPONSE: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}
// An inner module of Node without types: fit for a test only.
const { HTTPParser } = (await import('node:_http_common' as string)) as { HTTPParser: NodeParserClass };

/** `200 body` as Node reads it, or `refused`. */
function readNodes(bytes: Buffer): string {
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.RESPONSE, {});
  let status = 0;
  let body = '';
  let done = false;
  parser[HTTPParser.kOnHeadersComplete | 0] = (...args: unknown[]) => {
    if (!done) status = args[5] as number;
    return 0;
  };
  parser[HTTPParser.kOnBody | 0] = (part: Buffer) => {
    if (!done) body += part.toString('latin1');
  };
  parser[HTTPParser.kOnMessageComplete | 0] = () => {
    done ||= status >= 200;
  };
  const outcome = parser.execute(bytes);
  if (!done && !(outcome instanceof Error)) parser.finish();
  return done ? `${status} ${body}` : 'refused';
}

/** We take the same length twice, as RFC 9112 allows; llhttp does not. */
function hasSameLengthTwice(answer: string): boolean {
  return (answer.match(/^content-length:/gim)?.length ?? 0) > 1;
}

test(`W08: ${INPUTS} broken answers are refused, or parsed as by Node, for any chunking (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  let accepted = 0;
  for (let number = 0; number < INPUTS; number++) {
    const answer = injure(random, composeAnswer(random));
    const bytes = Buffer.from(answer, 'latin1');
    const said = `input ${number} of seed ${SEED}: ${JSON.stringify(answer)}`;
    const ours = readOurs([bytes]);
    const [one, two] = [random(bytes.length + 1), random(bytes.length + 1)].sort((a, b) => a - b) as [number, number];
    assert.equal(readOurs([bytes.subarray(0, one), bytes.subarray(one, two), bytes.subarray(two)]), ours, said);
    if (ours === 'protocol' || ours === 'too_large') continue;
    accepted += 1;
    if (!hasSameLengthTwice(answer)) assert.equal(ours, readNodes(bytes), said);
  }
  // Otherwise the series would prove nothing about what we accept.
  assert.ok(accepted > INPUTS / 20 && accepted < INPUTS / 2, `${accepted} of ${INPUTS} were accepted`);
});
