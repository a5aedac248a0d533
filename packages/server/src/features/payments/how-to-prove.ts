/** Refusals of a transfer whose payer is not proven. Each says what to sign, where to pay instead, and how a wallet allows an agent. */
import {
  custodySignedText,
  formatUsd,
  MarketError,
  type NetworkName,
  networkFacts,
  ordinarySignedText,
  walletChainOf,
} from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import type { PaymentsContext } from './payments-context.ts';
import type { PurchaseReference } from './purchase-reference.ts';

type Context = Pick<PaymentsContext, 'clock' | 'chains' | 'baseUrl'>;

export interface UnprovenPayer {
  readonly network: NetworkName;
  readonly payer: string;
  /** The price. */
  readonly expectedMicros: bigint;
  readonly presenter: { readonly caller?: Caller };
  readonly createReference?: (() => PurchaseReference) | undefined;
}

const NOTHING_USED = 'Nothing was used up.';
const SIGN = 'Sign the text in data.sign.message with that wallet, then repeat the request with the headers in data.sign.headers';
const KEYS = 'An API key or a connected program does not vouch for a wallet of its owner.';

/** The wallet has proven itself before, so it must vouch for this payment. */
export async function reserved(context: Context, unproven: UnprovenPayer, reason?: string): Promise<MarketError> {
  const data = await howToProve(context, unproven);
  const first = reason ?? 'This transfer came from a wallet that has proven itself here, so a proof of that wallet must come with it.';
  return new MarketError('payment_reserved', { message: wordsOf(first, data), data });
}

/** Refuses a payer that the caller may not pay from. The transfer stays usable for its payer. */
export async function wrongPayer(context: Context, unproven: UnprovenPayer, message?: string): Promise<MarketError> {
  const data = await howToProve(context, unproven);
  const first = message ?? (isStale(unproven) ? STALE : 'This transfer did not come from a wallet that you may pay from.');
  return new MarketError('payment_wrong_payer', { message: wordsOf(first, data), data });
}

const STALE =
  'This transfer came from your wallet, but its signature is older than 5 minutes, or its session is of the earlier kind. Neither pays.';

/** The wallet of the request is the payer, by a proof that reads and acts only. */
function isStale({ payer, presenter: { caller } }: UnprovenPayer): boolean {
  return [caller?.wallet, caller?.walletElsewhere].some((wallet) => wallet?.address === payer && wallet.proof === 'signature');
}

interface Help {
  readonly pay_url?: string;
  readonly allow?: object;
}

function wordsOf(first: string, { pay_url: payUrl, allow }: Help): string {
  const others = [
    ...(payUrl === undefined ? [] : ['pay again through data.pay_url, which names this purchase']),
    ...(allow === undefined ? [] : ['let the wallet allow this agent once: data.allow says what it signs']),
  ];
  const ways = [SIGN, ...others].join('; or ');
  return [first, ...(allow === undefined ? [] : [KEYS]), `${ways}.`, NOTHING_USED].join(' ');
}

async function howToProve(context: Context, { network, payer, expectedMicros, presenter: { caller }, createReference }: UnprovenPayer) {
  const timestamp = context.clock.realNow().getTime();
  const chain = walletChainOf[networkFacts[network].kind];
  const fields = { wallet: payer, wallet_sig: '<signature of message>', wallet_sig_ts: timestamp, wallet_chain: chain };
  const at = context.chains.get(network);
  const agentId = caller?.agent?.id;
  return {
    payer,
    sign: {
      message: ordinarySignedText(payer, timestamp),
      headers: {
        'X-Market-Wallet': payer,
        'X-Market-Wallet-Sig': '<signature of message>',
        'X-Market-Wallet-Sig-Ts': String(timestamp),
        'X-Market-Wallet-Chain': chain,
      },
      body: fields,
    },
    ...(at !== undefined &&
      createReference !== undefined && { pay_url: payUrl(context, at, payer, expectedMicros, createReference().text) }),
    ...(agentId !== undefined && { allow: await permissionText(context, agentId, fields) }),
  };
}

/**
 * Opens a wallet with a transfer that names the purchase. Solana Pay carries a memo. EVM links carry no such bytes, so there the link
 * prepares the transfer.
 */
function payUrl({ baseUrl }: Context, chain: Chain, payer: string, micros: bigint, reference: string): string {
  const amount = formatUsd(micros);
  if (chain.kind === 'solana') {
    const query = new URLSearchParams({ amount: amount.replace(/\.?0+$/, ''), 'spl-token': chain.usdcAddress, memo: reference });
    return `solana:${chain.treasury}?${query}`;
  }
  const query = new URLSearchParams({ network: chain.network, payer, amount_usd: amount, reference });
  return `${baseUrl}/api/payments/prepare?${query}`;
}

/** The text that the paying wallet signs once, and the address that accepts it. */
async function permissionText({ baseUrl }: Context, agentId: string, body: { readonly wallet: string; readonly wallet_sig_ts: number }) {
  const path = `/api/agents/${agentId}/payers`;
  const { host } = new URL(baseUrl);
  const message = await custodySignedText({ host, wallet: body.wallet, timestampMs: body.wallet_sig_ts, method: 'POST', path, body: {} });
  return { message, method: 'POST', url: `${baseUrl}${path}`, body };
}
