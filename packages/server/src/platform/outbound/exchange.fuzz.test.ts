/**
 * Hundreds of broken answers, made from a seed: `ANSWER_FUZZ_INPUTS=100000` runs more, `ANSWER_FUZZ_SEED=7` another series. Any chunking
 * must give the same result, and an accepted answer must state the end of its body exactly once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAnswerServer } from '../../../../../test/harness/answer-server.ts';
import { times } from '../../../../../test/harness/thoroughness.ts';

const INPUTS = Number(process.env['ANSWER_FUZZ_INPUTS'] ?? times(500, 5_000));
const SEED = Number(process.env['ANSWER_FUZZ_SEED'] ?? 20_261_116);
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
const secondFramings = ['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip', 'transfer-encoding:', 'Content-Length: 3'];
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
  if (random(12) === 0) lines.splice(1 + random(lines.length), 0, pick(random, secondFramings));
  return `${interim}${lines.join('\r\n')}\r\n\r\n${body}${random(10) === 0 ? 'HTTP/1.1 200 OK\r\n\r\n' : ''}`;
}

/** One answer of three stays as composed; the others get one to four random errors. */
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

/** The body of an accepted answer, read the slow way, by the one field that states where it ends. */
function bodyByItsField(answer: string): string {
  // Node skips line breaks before a status line.
  const heads = /^(?:[\r\n]*HTTP\/1\.1 1\d\d[\s\S]*?\r\n\r\n)*[\r\n]*(?<head>[\s\S]*?)\r\n\r\n/.exec(answer);
  const head = heads?.groups?.['head'] ?? '';
  const rest = answer.slice(heads?.[0].length ?? 0);
  if (/^HTTP\/1\.[01] (?:204|304)/.test(head.trimStart())) return '';
  const lengths = [...head.matchAll(/^content-length:[\t ]*(\d+)[\t ]*$/gim)];
  const codings = [...head.matchAll(/^transfer-encoding:[\t ]*(.*?)[\t ]*$/gim)];
  assert.ok(lengths.length + codings.length < 2, 'two fields say where the body ends');
  const isChunked = codings[0]?.[1]?.toLowerCase() === 'chunked';
  assert.ok(isChunked || codings.length === 0, 'another coding than chunks');
  if (lengths.length === 1) return rest.slice(0, Number(lengths[0]?.[1]));
  if (!isChunked) return rest;
  let body = '';
  for (let left = rest; ; ) {
    const line = /^([\da-f]+)[^\r\n]*\r\n/i.exec(left);
    const size = Number.parseInt(line?.[1] ?? '0', 16);
    if (size === 0) return body;
    const start = line?.[0].length ?? 0;
    body += left.slice(start, start + size);
    left = left.slice(start + size + 2);
  }
}

test(`W08: ${INPUTS} broken answers are refused, or read the same for any chunking (seed ${SEED})`, async (t) => {
  const server = await openAnswerServer();
  t.after(() => server.close());
  /** The kind of refusal is ignored, because an answer that is both broken and too large is refused for whichever shows first. */
  const read = async (answer: string, cuts: readonly number[] = []): Promise<string> => {
    const outcome = await server.read(answer, { maxBodyBytes: MAX_BODY_BYTES, cuts });
    return /^\d/.test(outcome) ? outcome.replace(/ \(closed\)$/, '') : 'refused';
  };
  const random = seededRandom(SEED);
  let accepted = 0;
  for (let number = 0; number < INPUTS; number++) {
    const answer = injure(random, composeAnswer(random));
    const said = `input ${number} of seed ${SEED}: ${JSON.stringify(answer)}`;
    const ours = await read(answer);
    const cuts = [random(answer.length + 1), random(answer.length + 1)];
    assert.equal(await read(answer, cuts), ours, said);
    if (ours === 'refused') continue;
    accepted += 1;
    assert.equal(ours.slice('200 '.length), bodyByItsField(answer), said);
  }
  // Otherwise the series would prove nothing about accepted answers.
  assert.ok(accepted > INPUTS / 20 && accepted < INPUTS / 2, `${accepted} of ${INPUTS} were accepted`);
});
