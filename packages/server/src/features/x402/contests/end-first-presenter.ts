/**
 * The payer of a bare transfer proved itself, so the first presenter loses all it got. That is tokens of the order, its role as buyer, the
 * stored answer, the count of its spend policy, and the agent's key. Signed links to files were never given out: results were withheld.
 */
import type { AgentId } from '@market/contract';
import { endOrderTokens } from '../../../access/order-tokens-repository.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { forgetAnswer } from '../../../platform/idempotency/idempotent-answers.ts';
import { proveOwner, replaceProvisionalKey, writeCreators } from '../../agents/index.ts';
import { findOrder, removeClientAgent } from '../../orders/index.ts';
import { type ClaimRow, endPresentation, type Shown } from '../../payments/index.ts';
import { findPurchaseOf, replaceSealedAnswer } from '../intake/repository.ts';
import { type Returned, type StoredRegistration, sealedRegistrationFor } from '../registration/registered-agent.ts';
import type { X402Context } from '../x402-context.ts';

/**
 * Ends everything but the purchase itself, once. If the payer keeps the order, the payer's own tokens stay: the first presenter never got
 * them.
 */
export async function endFirstPresenter(
  tx: Tx,
  context: X402Context,
  claim: ClaimRow,
  { isKept }: { readonly isKept: boolean },
): Promise<void> {
  const ended = await endPresentation(tx, claim, claim.subjectId, 'proof');
  if (ended === undefined) return;
  if (ended.answerName !== null) await forgetAnswer(tx, ended.answerName);
  await context.releaseSpent(tx, claim);
  if (claim.purpose === 'x402') {
    await endOrderTokens(tx, claim.subjectId, isKept ? { holder: 'presenter' } : {});
    await removeClientAgent(tx, claim.subjectId);
  }
  reachCrashPoint('contest.after_end_presenter');
}

/** The payer keeps the order. An agent whose key came with the proof stays its buyer. */
export async function keepHire(tx: Tx, context: X402Context, claim: ClaimRow, { agent, orderId }: Shown): Promise<void> {
  const order = await findOrder(tx, claim.subjectId);
  if (order === undefined) return;
  const isVouched = orderId === order.id || (order.clientAgentId !== null && agent?.id === order.clientAgentId);
  if (isVouched) return void (await endPresentation(tx, claim, order.id, 'vouched'));
  await endFirstPresenter(tx, context, claim, { isKept: true });
}

/** The payer keeps the agent. Its key is new unless the old one came with the proof. */
export async function keepRegistration(tx: Tx, context: X402Context, claim: ClaimRow, { agent }: Shown): Promise<void> {
  const { subjectId } = claim;
  if (agent?.id === subjectId) {
    await endPresentation(tx, claim, subjectId, 'vouched');
    return await proveOwner(tx, subjectId);
  }
  await endFirstPresenter(tx, context, claim, { isKept: true });
  // The payer is not bound by the first presenter's limits, so the agent loses its creators.
  await writeCreators(tx, subjectId as AgentId, []);
  await reseal<StoredRegistration | Returned>(tx, context, subjectId, sealedRegistrationFor(subjectId), async (stored) => {
    if ('refusal' in stored) return stored;
    // The payer's request is the same, so it names the same endpoint.
    const replaced = await replaceProvisionalKey(tx, context, subjectId, stored.endpointUrl ?? null);
    if (replaced === undefined) return stored;
    return { ...stored, data: { ...stored.data, api_key: replaced.apiKey, webhook_secret: replaced.webhookSecret } };
  });
  // Replace the key even if no answer was stored.
  await replaceProvisionalKey(tx, context, subjectId);
}

/** The payer gets the same answer again, with secrets of its own. */
async function reseal<A>(
  tx: Tx,
  { secrets }: X402Context,
  subjectId: string,
  sealedFor: string,
  change: (stored: A) => Promise<A>,
): Promise<void> {
  const row = await findPurchaseOf(tx, subjectId);
  if (row === undefined) return;
  const changed = await change(JSON.parse(secrets.open(row.sealedAnswer, sealedFor)) as A);
  await replaceSealedAnswer(tx, subjectId, secrets.seal(JSON.stringify(changed), sealedFor));
}
