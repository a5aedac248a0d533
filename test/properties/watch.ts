/** Sends requests to a market and collects everything that should not have happened. */
import assert from 'node:assert/strict';
import { errorCatalogue, type NamedOperation, signatureTierOf } from '@market/contract';
import type { TestMarket } from '../harness/market.ts';
import { type RawReply, type RawRequest, sendRaw } from '../harness/raw-http.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Cast } from './operation-request.ts';

const MOST_REPORTED = 12;

export interface Watch {
  /** `must` lists the allowed statuses. Without it any sound success or refusal is accepted. */
  send(title: string, request: RawRequest, must?: readonly number[]): Promise<RawReply>;
  /** Fails with everything that was collected. */
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
      // Reads are many and alike, so one check at the end is enough for them.
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

/** Empty for a complete success or a complete refusal that is not our failure. */
export function faultsOfAnswer(operation: NamedOperation, reply: RawReply): string[] {
  const { status, headers, body } = reply;
  if (status >= 200 && status < 300)
    return isWhole(operation, body) && headers.get('x-request-id') !== null ? [] : ['a success without its envelope or X-Request-Id'];
  if (status < 400) return [`status ${status}`];
  const isFailure = status >= 500 && !isDeclaredOutage(operation, reply);
  return [...faultsOfRefusal(reply), ...(isFailure ? [`status ${status}`] : [])];
}

/** A success has its envelope, or is the bare document if a standard fixes its form. */
function isWhole({ spec: { output } }: NamedOperation, body: RawReply['body']): boolean {
  return output.bare === true ? output.data.safeParse(body).success : body['success'] === true;
}

/** A missing part that this operation declares, which is not a fault in handling the request. */
function isDeclaredOutage({ spec }: NamedOperation, { body }: RawReply): boolean {
  const code = body['code'] as keyof typeof errorCatalogue;
  return (spec.errors ?? []).includes(code) && errorCatalogue[code].kind === 'unavailable';
}

/** A malformed request on another's order, agent or service, or an unknown one, is refused for that first. */
function strangerStatuses({ spec }: NamedOperation): readonly number[] {
  // An operation that takes only custody signatures refuses the ordinary signature of these requests first.
  const isCustodyOnly = spec.access.accepts.every((kind) => kind === 'wallet') && signatureTierOf(spec) === 'custody';
  return spec.rest.path.includes('{id}') && spec.effects.kind !== 'read' ? [403, 404, ...(isCustodyOnly ? [401] : [])] : [];
}
