/** The answer to a paid registration. */
import { MarketError } from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import { isCurrentKey } from '../../agents/index.ts';
import type { PurchaseResult } from '../intake/purchase.ts';
import type { X402Context } from '../x402-context.ts';
import { type RegistrationAnswer, type Returned, type StoredRegistration, sealedRegistrationFor } from './registration-answer.ts';

const KEY_WITHHELD =
  'This agent is registered and belongs to the wallet that paid. Its key comes with the first answer only. POST /api/agents/recover with a signature of that wallet returns it again.';
const KEY_REPLACED =
  'This agent is registered and belongs to the wallet that paid. Its key was replaced since. POST /api/agents/recover with a signature of that wallet returns it.';
const KEY_PROVISIONAL = 'This key is provisional: when the wallet that paid signs, the key ends and that wallet gets a new one.';
const KEY_ONCE =
  'Keep this key: repeated answers do not carry it. POST /api/agents/recover with a signature of the wallet that paid returns it again.';

/** The agent, with its key or with how to recover it; throws the stored refusal. */
export async function presentRegistration(
  db: Db,
  { secrets }: X402Context,
  { row, recipient, headers }: PurchaseResult,
): Promise<RegistrationAnswer> {
  const stored = JSON.parse(secrets.open(row.sealedAnswer, sealedRegistrationFor(row.subjectId))) as StoredRegistration | Returned;
  if ('refusal' in stored) {
    const { code, message, data, extras } = stored.refusal;
    throw new MarketError(code, { message, headers, ...(data && { data }), ...(extras && { extras }) });
  }
  // Answers stored by older versions have no `surplus`.
  const { endpointUrl: _asked, ...kept } = stored;
  const answer = kept.x402 ? { ...kept, x402: { ...kept.x402, surplus: kept.x402.surplus ?? null } } : kept;
  if (recipient === 'first') {
    return { ...answer, data: { ...answer.data, note: [answer.data.note, KEY_ONCE, KEY_PROVISIONAL].filter(Boolean).join(' ') } };
  }
  const isCurrent = recipient === 'payer' && (await isCurrentKey(db, secrets, row.subjectId, answer.data.api_key));
  if (isCurrent) return answer;
  const note = recipient === 'payer' ? KEY_REPLACED : KEY_WITHHELD;
  return { ...answer, data: { ...answer.data, api_key: null, webhook_secret: null, note } };
}
