/**
 * A standard payment is a secret until a transaction carries it. After that everybody can copy it from the chain, so it proves its payer
 * only for the request that showed it before. Any other request needs a proof of the paying wallet beside it.
 */
import type { NetworkName } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import { asPresenter, maySpendFrom, type Presenter, refuseCopied } from '../../payments/index.ts';
import type { X402Context } from '../x402-context.ts';
import type { StandardVerdict } from './judge-standard-payment.ts';
import type { Purchase } from './purchase.ts';
import type { PaymentKey, PaymentRow } from './repository.ts';

/** The caller's proof of the paying wallet, which the payment itself does not give. */
export interface VoucherNeeded {
  readonly presenter: Presenter;
  /** The transfer, or the payment where there is no transfer yet: an ordinary signature spends one of them. */
  readonly reference: string;
}

interface Shown {
  readonly caller: Caller;
  readonly network: NetworkName;
  readonly key: PaymentKey;
  readonly purchase: Pick<Purchase, 'purpose' | 'fingerprint'>;
  readonly verdict: Extract<StandardVerdict, { valid: true }>;
  /** The earlier attempt to settle this payment. It failed. */
  readonly failed: PaymentRow | undefined;
}

/** Undefined where the payment itself proves its payer. Throws where it may be a copy and nothing else proves the payer. */
export async function findVoucherNeeded(context: X402Context, shown: Shown): Promise<VoucherNeeded | undefined> {
  const { caller, network, key, purchase, verdict, failed } = shown;
  const { payer, landedIn, honoured } = verdict;
  const isFirstRequest = failed?.fingerprint.equals(purchase.fingerprint) === true;
  // An earlier attempt may have failed on chain, where everybody saw the payment.
  const isPublic = landedIn !== undefined || failed !== undefined;
  if (!isPublic || isFirstRequest) return undefined;
  const shownWallets = await asPresenter(context.database.db, caller, network);
  // The service signs for an agent's wallet, and only for a purpose of its own: a key must not turn that into a purchase.
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
