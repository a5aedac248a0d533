/**
 * Checks a signed payment that may be a copy. We signed the original for an agent's wallet, or a transaction carried it on the chain. Such
 * a payment pays only for the purchase it was signed for.
 */
import { MarketError } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import { refuseBannedWallet } from '../../../access/refuse-banned.ts';
import { asPresenter, listRecentMovements, maySpendFrom, type Presenter, refuseCopied } from '../../payments/index.ts';
import type { StandardVerdict } from '../intake/judge-standard-payment.ts';
import { aliasOf, requireChain } from '../intake/name-payment.ts';
import type { PresentedStandard } from '../intake/read-payment.ts';
import type { PaymentKey, PaymentRow } from '../intake/repository.ts';
import type { Purchase } from '../product.ts';
import type { X402Context } from '../x402-context.ts';

/** The caller's proof of the paying wallet, which the payment itself does not give. */
export interface VoucherNeeded {
  readonly presenter: Presenter;
  /** The transfer, or the payment where there is no transfer yet: an ordinary signature spends one of them. */
  readonly reference: string;
}

interface Shown {
  readonly caller: Caller;
  readonly presented: PresentedStandard;
  readonly key: PaymentKey;
  readonly purchase: Purchase;
  readonly verdict: Extract<StandardVerdict, { valid: true }>;
  /** The earlier, failed attempt to settle this payment. */
  readonly failed: PaymentRow | undefined;
}

/** Refuses a payment whose payer may not buy this with it. Returns the proof that the caller still owes. */
export async function requirePayer(context: X402Context, shown: Shown): Promise<VoucherNeeded | undefined> {
  const { presented, key, purchase, verdict } = shown;
  const { payer } = verdict;
  await refuseBannedWallet(context.database.db, payer);
  await refuseOwnSignature(context, presented, key, payer);
  await purchase.requireBuyer?.({ payer, network: presented.network, via: 'facilitator' });
  return await findVoucherNeeded(context, shown);
}

/** The service signs the transfers of agents' wallets. Anybody can copy such a transfer before a block holds it. */
async function refuseOwnSignature(context: X402Context, presented: PresentedStandard, { alias }: PaymentKey, payer: string): Promise<void> {
  const chain = requireChain(context, presented);
  const movements = await listRecentMovements(context.database.db, { network: chain.network, wallet: payer });
  const isOurs = movements.some(({ id, signedBytes: transaction }) =>
    chain.kind === 'evm'
      ? // The name of an authorisation ends with its nonce, which is the name of our intent.
        alias.endsWith(`:${chain.intentKey(id)}`)
      : alias === aliasOf(context, chain, { payload: { transaction } }),
  );
  if (isOurs)
    throw new MarketError('payment_already_used', {
      message: 'This payment was signed for a transfer out of an agent’s wallet. It pays for nothing else.',
    });
}

/**
 * A standard payment is a secret until a transaction carries it. After that everybody can copy it from the chain, so it proves its payer
 * only for the request that showed it before. Any other request needs a proof of the paying wallet beside it.
 */
async function findVoucherNeeded(context: X402Context, shown: Shown): Promise<VoucherNeeded | undefined> {
  const { caller, key, purchase, verdict, failed } = shown;
  const { network } = shown.presented;
  const { payer, landedIn, honoured } = verdict;
  const isFirstRequest = failed?.fingerprint.equals(purchase.fingerprint) === true;
  // An earlier attempt may have failed on chain, where everybody saw the payment.
  const isPublic = landedIn !== undefined || failed !== undefined;
  if (!isPublic || isFirstRequest) return undefined;
  const shownWallets = await asPresenter(context.database.db, caller, network);
  // The service signs for an agent's wallet only for a purpose of its own. A key must not turn that into a purchase.
  const presenter = { ...shownWallets, wallets: shownWallets.wallets.filter(({ by }) => by !== 'server_wallet') };
  if (maySpendFrom(presenter, payer)) return { presenter, reference: landedIn ?? key.alias };
  throw await refuseCopied(context, {
    network,
    key: landedIn === undefined ? undefined : { caip2: key.caip2, reference: landedIn },
    payer,
    purpose: purchase.purpose,
    spending: { presenter, expectedMicros: honoured.price.amountMicros },
  });
}
