/** What to do after a refusal, in words of the command line. The data of a refusal speaks of texts and headers, which this program signs and sends itself. */
import { type CredentialKind, chainOfAddress } from '@market/contract';
import type { ClientOptions, MarketApiError } from '@market/sdk';

export interface RefusedCall {
  readonly accepts: readonly CredentialKind[];
  readonly identity: Pick<ClientOptions, 'wallet' | 'accessToken'>;
  /** `--full`: print the data, too. */
  readonly full: boolean;
}

type Data = Readonly<Record<string, unknown>>;

/** Longer data hides the sentence that matters. */
const SHORT_DATA = 200;

const FOR_WALLETS = [
  'custody_signature_required',
  'sign_in_message_required',
  'owner_proof_required',
  'signature_expired',
  'offer_newer_than_payment',
];
const FOR_OTHER_CREDENTIALS = ['unauthenticated', 'wrong_credential'];

/** Each is one line. */
export function nextSteps(error: MarketApiError, call: RefusedCall): string[] {
  const { data = {} } = error;
  const steps = [...paymentSteps(data, call), ...approvalSteps(data), ...identitySteps(error, call)];
  return [...steps, ...dataLines(error, call.full, steps.length > 0)];
}

/** A transfer whose payer is not proven. */
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
  // Without a wallet in the data an account may be the owner.
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

/** Without `--full` only what nothing else says: other lines tell the next actions, and the sentence itself tells the issues. */
function dataLines({ data, nextActions }: MarketApiError, full: boolean, isSaid: boolean): string[] {
  if (data === undefined || Object.keys(data).length === 0) return [];
  const text = JSON.stringify(data);
  if (full) return [`data: ${text}`];
  if (isSaid || nextActions.length > 0 || Array.isArray(data['issues'])) return [];
  return [text.length <= SHORT_DATA ? `data: ${text}` : 'Add --full to see the data of this refusal.'];
}

// Another server than ours may answer anything, and people paste these lines into a shell.

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
