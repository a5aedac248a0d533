/** Sends requests to a market and keeps a list of everything that should not have happened. */
import assert from 'node:assert/strict';
import { errorCatalogue, type NamedOperation, signatureTierOf } from '@market/contract';
import type { TestMarket } from '../harness/market.ts';
import { type RawReply, type RawRequest, sendRaw } from '../harness/raw-http.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Cast } from './operation-request.ts';

const MOST_REPORTED = 12;

export interface Watch {
  /** `must`: statuses of which one has to come. Without it any sound success or refusal will do. */
  send(title: string, request: RawRequest, must?: readonly number[]): Promise<RawReply>;
  /** Fails with everything that was seen. */
  report(): Promise<void>;
}

export async function watchOperation(market: TestMarket, operation: NamedOperation, cast: Cast): Promise<Watch> {
  const faults: string[] = [];
  let sent = 0;
  let last: RawReply | undefined;
  const fingerprint = await fingerprintOf(market.database);
  const reads = operation.spec.effects.kind === 'read';
  let content = await fingerprint();

  async function findChange(reply: RawReply): Promise<string[]> {
    const before = content;
    content = await fingerprint();
    return content !== before && (reads || reply.status >= 400) ? ['the database changed'] : [];
  }

  return {
    async send(title, request, must) {
      sent += 1;
      const reply = await sendRaw(market.url, request);
      const found = faultsOfAnswer(operation, reply);
      // Reads are many and all alike: for them it is enough to look once, at the end.
      if (!reads) found.push(...(await findChange(reply)));
      last = reply;
      const right = must === undefined || !must.includes(400) ? must : [...must, ...strangerStatuses(operation)];
      if (right !== undefined && !right.includes(reply.status)) found.push(`status ${reply.status} instead of ${right.join(' or ')}`);
      if (found.length > 0) faults.push(`${operation.name}, ${title}: ${found.join('; ')}`);
      const renewed: unknown = reply.body['data']?.api_key;
      if (operation.spec.access.accepts.includes('api_key') && /^market_[0-9a-f]{48}$/.test(String(renewed))) cast.key = String(renewed);
      return reply;
    },
    async report() {
      assert.ok(last !== undefined, 'nothing was sent');
      faults.push(...(await findChange(last)));
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined, 'the prototype of all objects was changed');
      assert.deepEqual(faults.slice(0, MOST_REPORTED), [], `${faults.length} of ${sent} answers were unsound`);
    },
  };
}

/** Nothing when this is a complete success or a complete refusal, and not a failure of ours. */
export function faultsOfAnswer(operation: NamedOperation, reply: RawReply): string[] {
  const { status, headers, body } = reply;
  if (status >= 200 && status < 300)
    return isWhole(operation, body) && headers.get('x-request-id') !== null ? [] : ['a success without its envelope or X-Request-Id'];
  if (status < 400) return [`status ${status}`];
  const isFailure = status >= 500 && !isDeclaredOutage(operation, reply);
  return [...faultsOfRefusal(reply), ...(isFailure ? [`status ${status}`] : [])];
}

/** In its envelope, or the document itself where others have fixed its shape. */
function isWhole({ spec: { output } }: NamedOperation, body: RawReply['body']): boolean {
  return output.bare === true ? output.data.safeParse(body).success : body['success'] === true;
}

/** A part that this operation says may be missing from a service, which is not a fault of the request's handling. */
function isDeclaredOutage({ spec }: NamedOperation, { body }: RawReply): boolean {
  const code = body['code'] as keyof typeof errorCatalogue;
  return (spec.errors ?? []).includes(code) && errorCatalogue[code].kind === 'unavailable';
}

/** Whoever sends nonsense about somebody else's order, agent or service, or about none, learns that first. */
function strangerStatuses({ spec }: NamedOperation): readonly number[] {
  // Where only a custody signature counts, the ordinary one of these requests is refused first.
  const isCustodyOnly = spec.access.accepts.every((kind) => kind === 'wallet') && signatureTierOf(spec) === 'custody';
  return spec.rest.path.includes('{id}') && spec.effects.kind !== 'read' ? [403, 404, ...(isCustodyOnly ? [401] : [])] : [];
}
