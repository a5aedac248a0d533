/** The answer to a paid registration. */
import { MarketError } from '@market/contract';
import type { PurchaseResult } from '../intake/purchase.ts';
import type { X402Context } from '../x402-context.ts';
import type { RegistrationAnswer, Returned } from './record-registration.ts';
import { sealedRegistrationFor } from './stored-request.ts';

const KEY_WITHHELD =
  'This agent is registered and belongs to the wallet that paid. Its key came with the first answer. POST /api/agents/recover with a signature of that wallet returns it again.';
const KEY_ONCE =
  'Keep this key: repeated answers do not carry it. POST /api/agents/recover with a signature of the wallet that paid returns it again.';

/** The agent, with its key or with how to recover it; throws the stored refusal. */
export function presentRegistration({ secrets }: X402Context, { row, recipient, headers }: PurchaseResult): RegistrationAnswer {
  const stored = JSON.parse(secrets.open(row.sealedAnswer, sealedRegistrationFor(row.subjectId))) as RegistrationAnswer | Returned;
  if ('refusal' in stored) {
    const { code, message, data, extras } = stored.refusal;
    throw new MarketError(code, { message, headers, ...(data && { data }), ...(extras && { extras }) });
  }
  // Answers stored by older versions have no `surplus`.
  const answer = stored.x402 ? { ...stored, x402: { ...stored.x402, surplus: stored.x402.surplus ?? null } } : stored;
  if (recipient === 'payer') return answer;
  if (recipient === 'first') return { ...answer, data: { ...answer.data, note: [answer.data.note, KEY_ONCE].filter(Boolean).join(' ') } };
  return { ...answer, data: { ...answer.data, api_key: null, webhook_secret: null, note: KEY_WITHHELD } };
}
