/** Next steps after a refusal, as flags and commands. Its data names texts and headers; this program signs and sends those itself. */
import { type CredentialKind, chainOfAddress } from '@market/contract';
import type { ClientOptions, MarketApiError } from '@market/sdk';

export interface RefusedCall {
  readonly accepts: readonly CredentialKind[];
  readonly identity: Pick<ClientOptions, 'wallet' | 'accessToken'>;
  /** `--full`: print the data, too. */
  readonly full: boolean;
}

type Data = Readonly<Record<string, unknown>>;

/** Longer data would hide the message. */
const SHORT_DATA = 200;

const FOR_WALLETS = [
  'custody_signature_required',
  'sign_in_message_required',
  'owner_proof_required',
  'signature_expired',
  'offer_newer_than_payment',
];
const FOR_OTHER_CREDENTIALS = ['unauthenticated', 'wrong_credential'];

/** Returns the next steps, one line each. */
export function nextSteps(error: MarketApiError, call: RefusedCall): string[] {
  const { data = {} } = error;
  const steps = [...paymentSteps(data, call), ...approvalSteps(data), ...identitySteps(error, call)];
  return [...steps, ...dataLines(error, call.full, steps.length > 0)];
}

/** Steps after a payment whose payer is not proven. */
function paymentSteps(data: Data, { identity }: RefusedCall): string[] {
  const payer = addressIn(data['payer']);
  if (payer === undefined || !isRecord(data['sign'])) return [];
  const signing = `--wallet ${payer} --sign-with <command>`;
  const agentId = isRecord(data['allow']) ? agentIn(data['allow']) : undefined;
  const payUrl = urlIn(data['pay_url']);
  return [
    `Paid by ${payer}`,
    ...(isSame(payer, identity.wallet?.address) ? [] : [`Sign once: repeat this with ${signing}`]),
    ...(agentId === undefined ? [] : [`Allow it for good: market wallets allow-payer --id ${agentId} ${signing}`]),
    ...(payUrl === undefined ? [] : [`Pay again: ${payUrl}`]),
  ];
}

function approvalSteps({ approval_id: id, approve_url: url }: Data): string[] {
  const ways = [urlIn(url), isWord(id) ? `market spending decide --id ${id} --decision approve` : undefined];
  const known = ways.filter((way) => way !== undefined);
  return known.length === 0 ? [] : [`The owner decides: ${known.join(', or ')}`];
}

function identitySteps({ code, data = {} }: MarketApiError, { accepts, identity }: RefusedCall): string[] {
  const takesOnlyWallets = accepts.every((kind) => kind === 'wallet');
  const asksForWallet = FOR_WALLETS.includes(code) || (takesOnlyWallets && FOR_OTHER_CREDENTIALS.includes(code));
  if (!asksForWallet) return [];
  const wanted = addressIn(data['wallet']);
  const isNamed = identity.wallet !== undefined && (wanted === undefined || isSame(wanted, identity.wallet.address));
  // If the data names no wallet, the owner may be an account.
  const mayBeAccount = code === 'owner_proof_required' && wanted === undefined && identity.accessToken === undefined;
  return [
    ...(isNamed
      ? []
      : [
          `Name the wallet that signs: --wallet${wanted === undefined ? '' : ` ${wanted}`} and --sign-with (or MARKET_WALLET and MARKET_SIGN_WITH).`,
        ]),
    ...(mayBeAccount ? ['Or act as the account that owns it: --token (or MARKET_TOKEN).'] : []),
  ];
}

/** The data as a line. Without `--full`, next actions and issues are left out: other lines and the message contain them. */
function dataLines({ data, nextActions }: MarketApiError, full: boolean, hasSteps: boolean): string[] {
  if (data === undefined || Object.keys(data).length === 0) return [];
  const text = JSON.stringify(data);
  if (full) return [`data: ${text}`];
  if (hasSteps || nextActions.length > 0 || Array.isArray(data['issues'])) return [];
  return [text.length <= SHORT_DATA ? `data: ${text}` : 'Add --full to see the data of this refusal.'];
}

// Check every value: a hostile server may answer anything, and people paste these lines into a shell.

function addressIn(value: unknown): string | undefined {
  return typeof value === 'string' && chainOfAddress(value) !== undefined ? value : undefined;
}

function agentIn({ url }: Data): string | undefined {
  return typeof url === 'string' ? /\/api\/agents\/([\w.-]+)\/payers$/.exec(url)?.[1] : undefined;
}

function urlIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^(?:https?|solana):\S+$/.test(value) ? value : undefined;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^\w[\w.-]*$/.test(value);
}

function isRecord(value: unknown): value is Data {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** EVM addresses differ in case only by their checksum. */
function isSame(address: string, other: string | undefined): boolean {
  return address === other || (address.startsWith('0x') && address.toLowerCase() === other?.toLowerCase());
}
