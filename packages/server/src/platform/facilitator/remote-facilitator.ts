/** A remote facilitator. It verifies and settles; this process names payments and searches the chain itself. */
import { type NetworkName, networkFacts, usualNetwork } from '@market/contract';
import { z } from 'zod';
import { ChainUnavailable } from '../chains/chain.ts';
import type { EvmContext } from '../chains/evm/evm-context.ts';
import type { Logger } from '../telemetry/logger.ts';
import { readUsdcDomain } from './evm-domain.ts';
import { findPreempted, readTransfer } from './evm-settler.ts';
import type { Facilitator, Refusal, Settled, StandardPayment, Verified } from './facilitator.ts';
import { nameAuthorization, nameTransaction, readNamedPayer } from './payment-identity.ts';
import { refreshInBackground } from './refresh-in-background.ts';
import { refusal } from './refusal.ts';
import { type Asked, createRemoteClient, type RemoteClient } from './remote-client.ts';
import { readPartial, type SolanaEndpoint } from './solana-settler.ts';

export interface RemoteFacilitatorOptions {
  readonly url: string;
  /** The Authorization header that the facilitator needs, if any. */
  readonly authorization: string | undefined;
  readonly evm: readonly EvmContext[];
  readonly solana: Omit<SolanaEndpoint, 'rpc'> | undefined;
  readonly log: Pick<Logger, 'warn'>;
  readonly timeoutMs?: number;
  readonly freshMs?: number;
}

const TIMEOUT_MS = 20_000;
const FRESH_MS = 60_000;

const supportedAnswer = z.object({
  kinds: z.array(
    z.object({ x402Version: z.number(), scheme: z.string(), network: z.string(), extra: z.record(z.string(), z.unknown()).nullish() }),
  ),
});
const verifyAnswer = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish(), payer: z.string().nullish() });
const settleAnswer = z.object({
  success: z.boolean(),
  errorReason: z.string().nullish(),
  payer: z.string().nullish(),
  transaction: z.string().nullish(),
});

export async function createRemoteFacilitator(options: RemoteFacilitatorOptions): Promise<Facilitator> {
  const { evm, solana, log, freshMs = FRESH_MS } = options;
  const client = createRemoteClient(options.url, options.authorization, options.timeoutMs ?? TIMEOUT_MS);
  const contexts = new Map<NetworkName, EvmContext>(evm.map((context) => [context.network, context]));
  const offered = new Map<NetworkName, Readonly<Record<string, unknown>>>();
  /** Undefined until the facilitator has listed its networks. */
  let supported: readonly NetworkName[] | undefined;

  async function look(): Promise<boolean> {
    try {
      const { offers, unread } = await findOffers(client, { evm, solana, log });
      supported = [...offers.keys(), ...unread];
      offered.clear();
      for (const [network, extra] of offers) offered.set(network, extra);
      return unread.length === 0;
    } catch (error) {
      // Payments by transfer and the rest of the service continue without it.
      offered.clear();
      log.warn({ err: error }, 'the x402 facilitator could not be asked what it supports');
      return true;
    }
  }

  const isSolana = (network: NetworkName): boolean => networkFacts[network].kind === 'solana' && solana !== undefined;

  /** The reason not to forward the payment; undefined if there is none. */
  function findFault(payment: StandardPayment): Refusal | undefined {
    const context = contexts.get(payment.network);
    if (context === undefined && !isSolana(payment.network)) return refusal('invalid_network');
    const read = context === undefined ? solana && readPartial(solana, payment) : readTransfer(context, payment);
    return read !== undefined && 'reason' in read ? read : undefined;
  }

  const lookIfOld = await refreshInBackground(freshMs, look);
  return {
    get networks() {
      lookIfOld();
      return [...offered.keys()];
    },
    supports: (network) => (contexts.has(network) || isSolana(network)) && supported?.includes(network) !== false,
    extraOf: (network) => offered.get(network) ?? {},
    identityOf: (payment) => (contexts.has(payment.network) ? nameAuthorization(payment) : nameTransaction(payment)),
    async verify(payment) {
      const fault = findFault(payment);
      return fault === undefined ? readVerdict(payment, await client.post('verify', payment)) : { valid: false, ...fault };
    },
    async settle(payment) {
      const fault = findFault(payment);
      return fault === undefined ? readOutcome(payment, await client.post('settle', payment)) : { state: 'failed', ...fault };
    },
    async findPreempted(payment) {
      const context = contexts.get(payment.network);
      return context && (await findPreempted(context, payment));
    },
  };
}

interface Offers {
  readonly offers: ReadonlyMap<NetworkName, Readonly<Record<string, unknown>>>;
  /** Networks that the facilitator supports, but that are not offered because our node is unavailable. */
  readonly unread: readonly NetworkName[];
}

async function findOffers(
  client: RemoteClient,
  { evm, solana, log }: Pick<RemoteFacilitatorOptions, 'evm' | 'solana' | 'log'>,
): Promise<Offers> {
  const { kinds } = supportedAnswer.parse(await client.get('supported'));
  const find = (caip2: string) => kinds.find((kind) => kind.x402Version === 2 && kind.scheme === 'exact' && kind.network === caip2);
  const offers = new Map<NetworkName, Readonly<Record<string, unknown>>>();
  const feePayer = solana && find(solana.caip2)?.extra?.['feePayer'];
  if (typeof feePayer === 'string' && feePayer !== solana?.treasury) offers.set(usualNetwork.solana, { feePayer });
  const unread: NetworkName[] = [];
  for (const context of evm) {
    if (find(`eip155:${context.chainId}`) === undefined) continue;
    try {
      offers.set(context.network, { ...(await readUsdcDomain(context)) });
    } catch (error) {
      unread.push(context.network);
      log.warn({ err: error, network: context.network }, 'the node is away: no standard x402 payments on this network');
    }
  }
  return { offers, unread };
}

function readVerdict({ network, payload }: StandardPayment, asked: Asked): Verified {
  const answer = asked.state === 'answered' ? verifyAnswer.safeParse(asked.body).data : undefined;
  if (answer === undefined) throw new ChainUnavailable(network, `the x402 facilitator did not verify: ${describe(asked)}`);
  if (!answer.isValid) return { valid: false, ...refusal(answer.invalidReason ?? 'unexpected_verify_error') };
  // Facilitators repeat the client's spelling of its address. Bans, the transfers we signed and the chain know only the canonical one.
  const payer = readNamedPayer(payload) ?? answer.payer;
  if (!payer) throw new ChainUnavailable(network, 'the x402 facilitator verified a payment without naming its payer');
  return { valid: true, payer };
}

/** Error reasons that leave open whether the payment happened. */
const UNDECIDED = new Set(['settlement_pending', 'duplicate_settlement', 'unexpected_settle_error']);

function readOutcome({ network }: StandardPayment, asked: Asked): Settled {
  if (asked.state === 'unreached' || asked.state === 'turned_away') {
    throw new ChainUnavailable(network, `the x402 facilitator did not settle: ${describe(asked)}`);
  }
  const answer = asked.state === 'answered' ? settleAnswer.safeParse(asked.body).data : undefined;
  // The facilitator has the payload and may have used it, whatever it answered.
  if (answer === undefined) return { state: 'unknown', reason: 'settlement_pending' };
  const { success, payer, errorReason } = answer;
  const reference = answer.transaction || undefined;
  if (success && reference !== undefined) return { state: 'settled', reference, payer: payer ?? '' };
  if (success || errorReason == null || UNDECIDED.has(errorReason)) {
    return { state: 'unknown', reason: 'settlement_pending', ...(reference === undefined ? {} : { reference }) };
  }
  return { state: 'failed', ...(reference !== undefined && { reference }), ...refusal(errorReason) };
}

function describe(asked: Asked): string {
  return asked.state === 'answered' ? 'its answer has another form' : asked.why;
}
