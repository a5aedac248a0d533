/** A registration as a product: the wallet that pays owns the agent, without signing anything else. */
import { MarketError, networkFacts, type OperationArguments, type Operations, usualNetwork } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import { type Caller, linkedOn } from '../../../access/caller.ts';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import { hashJson } from '../../../platform/hash-json.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import {
  ownerAccount,
  ownerWalletOf,
  type Registration,
  readRegistration,
  requireFreeName,
  requireRegistrable,
} from '../../agents/index.ts';
import type { PaymentHeaders } from '../intake/read-payment.ts';
import { withReference } from '../offers/challenge.ts';
import { payableAddress, readChallengeOptions } from '../offers/challenge-options.ts';
import type { Offer } from '../offers/offers.ts';
import { registrationExtension, registrationFirstVersionSchema } from '../offers/registration-extension.ts';
import type { Paid, Product, Purchase } from '../product.ts';
import type { X402Context } from '../x402-context.ts';
import {
  packRegistration,
  presentRegistration,
  type RegistrationAnswer,
  recordRegistration,
  recordReturned,
  refusalOf,
} from './registered-agent.ts';

type Input = OperationArguments<Operations['agents']['register']>;

export interface RegistrationRequest {
  readonly input: Input;
  readonly headers: PaymentHeaders;
}

export const registration: Product<RegistrationRequest, RegistrationAnswer> = {
  read: readPurchase,
  // Checks the name before the payment.
  async offer(context, call, request) {
    const purchase = readPurchase(context, call, request);
    await purchase.requireOnOffer();
    return { offer: purchase.offer, options: withReference(context, purchase, call.caller) };
  },
  record: recordRegistration,
  present: presentRegistration,
  giveBack: { refusalOf, record: recordReturned },
};

function readPurchase(context: X402Context, call: Call, { input }: RegistrationRequest): Purchase {
  if (context.chains.size === 0) throw new MarketError('paid_registration_unavailable');
  const { caller } = call;
  const named = readNamedOwner(input);
  if (named !== undefined && caller.wallet !== undefined && named !== caller.wallet.address) throw new MarketError('wallet_mismatch');
  // Also refuses an account and a signature that are not linked, before anything is paid.
  const wanted = readRegistration(context, input, call, ownerWalletOf(caller));
  return {
    purpose: 'registration',
    subjectId: wanted.id,
    fingerprint: fingerprintOfRegistration(wanted),
    offer: registrationOffer(context),
    challenge: {
      ...readChallengeOptions(context, input, { entrance: 'register', usualForm: 'flat', method: 'POST' }),
      extension: registrationExtension(input.name),
      outputSchema: registrationFirstVersionSchema,
    },
    payableSince: new Date(0),
    prices: [{ amountMicros: context.registrationMicros, listMicros: context.registrationMicros, offeredSince: new Date(0) }],
    async requireOnOffer() {
      await requireRegistrable(context, wanted, caller);
      await requireFreeName(context.database.db, context, wanted);
    },
    async requireBuyer(paid) {
      if (caller.connection !== undefined) return requireOwnTransfer(caller, paid);
      requireNoContradiction(call, named, paid);
      await requireOneHolder(context, caller, paid);
    },
    pack: () => packRegistration(context, wanted),
  };
}

/** Leaves out who asks: the payer may prove themselves differently the next time. */
export function fingerprintOfRegistration({ registrant, capabilities, aiModels, endpointUrl, avatarUrl }: Registration): Buffer {
  return hashJson(['registration', registrant.name, registrant.description, capabilities, aiModels, endpointUrl, avatarUrl]);
}

export function registrationOffer(context: X402Context): Offer {
  return {
    amountMicros: context.registrationMicros,
    description: `${context.serviceName}: registration of an agent`,
    resource: payableAddress(context.baseUrl, 'register').url,
    tags: ['registration'],
  };
}

function readNamedOwner({ owner_wallet: text }: Input): string | undefined {
  if (text === undefined) return undefined;
  const named = canonicalWallet(text)?.address;
  if (named === undefined) {
    throw new MarketError('invalid_input', { message: 'owner_wallet must be a base58 Solana address or a 0x EVM address.' });
  }
  return named;
}

/** The signing wallet, the account and the named owner must match the payer. Otherwise refuse before money is taken, or a transfer used. */
function requireNoContradiction({ caller }: Call, named: string | undefined, { payer, network }: Paid): void {
  const refuse = (message: string): MarketError => new MarketError('payment_wrong_payer', { message: `${message} Nothing was used up.` });
  if (named !== undefined && named !== payer) {
    throw refuse(`owner_wallet names ${named}, but ${payer} paid. Name the wallet that pays, or leave owner_wallet out.`);
  }
  const account = ownerAccount(caller);
  // A session cookie beside an account is ignored, like that of an unpaid registration.
  const signed = account !== undefined && caller.wallet?.fromCookie === true ? undefined : caller.wallet?.address;
  if (signed !== undefined && signed !== payer) {
    throw refuse(`The signature is of ${signed}, but ${payer} paid. Sign with the wallet that pays, or leave the signature out.`);
  }
  // One owner per agent.
  if (account !== undefined && !linkedOn(account, network).includes(payer)) {
    throw new MarketError('owner_mismatch', { message: MISMATCH, data: { account: account.id, wallet: payer } });
  }
}

const MISMATCH =
  'The paying wallet is not linked to this account, so the agent would have two owners. Link the wallet first, or register without the account. Nothing was taken.';

/** Owner addresses in our records mean Base. A contract wallet may have another holder there, who would own what this one pays for. */
async function requireOneHolder({ chains }: X402Context, { wallet }: Caller, { payer, network }: Paid): Promise<void> {
  const { kind, label } = networkFacts[network];
  if (usualNetwork[kind] === network || wallet?.address === payer) return;
  try {
    if ((await chains.get(network)?.isContract(payer)) !== true) return;
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('chain_unavailable', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
  const usual = networkFacts[usualNetwork[kind]].label;
  throw new MarketError('payment_wrong_payer', {
    message: `${payer} is a contract wallet on ${label}, and somebody else may hold that address on ${usual}, where agents have their owners. Pay on ${usual}, from a wallet with a key, or with a signature that the contract confirms on ${usual}. Nothing was used up.`,
  });
}

/** A program registers for its person, also when another wallet pays. A transfer on chain names nobody, so the paying wallet must sign beside the program. */
function requireOwnTransfer({ wallet, walletElsewhere }: Caller, { payer, via }: Pick<Paid, 'payer' | 'via'>): void {
  if (via !== 'transfer' || (wallet ?? walletElsewhere)?.address === payer) return;
  throw new MarketError('payment_wrong_payer', {
    message: `This transfer came from ${payer}. A connected program may use it only with a signature of that wallet. Nothing was used up.`,
  });
}
