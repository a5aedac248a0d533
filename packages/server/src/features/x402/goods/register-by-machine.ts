/** `POST /api/agents/register` with a payment: the wallet that pays owns the agent, without signing anything else. */
import { MarketError, networkFacts, type OperationArguments, type Operations, usualNetwork } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { type Caller, linkedOn } from '../../../access/caller.ts';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import {
  ownerAccount,
  ownerWalletOf,
  readRegistration,
  requireFreeName,
  requireRegistrable,
  withoutSecretsFor,
} from '../../agents/index.ts';
import { classifyPayment } from '../intake/classify-payment.ts';
import { fingerprintOfRegistration } from '../intake/fingerprint.ts';
import { networkChosen } from '../intake/network-chosen.ts';
import { payFor } from '../intake/pay-for.ts';
import type { Paid, Purchase } from '../intake/purchase.ts';
import { challenge, withReference } from '../offers/challenge.ts';
import { formOf } from '../offers/challenge-options.ts';
import type { Offer } from '../offers/offers.ts';
import { payableAddress } from '../offers/payable-address.ts';
import { registrationExtension, registrationFirstVersionSchema } from '../offers/registration-extension.ts';
import type { X402Context } from '../x402-context.ts';
import { presentRegistration } from './present-registration.ts';
import { packRegistration } from './stored-request.ts';

type Register = HandlersOf<'agents'>['register'];
type Input = OperationArguments<Operations['agents']['register']>;

/** With a payment, register the agent for its payer. Without one, answer 402. */
export function registerByPayment(context: X402Context): Register {
  return async (input, call) => {
    const payment = classifyPayment(input, context.chains);
    if (context.chains.size === 0) throw new MarketError('paid_registration_unavailable');
    const purchase = readPurchase(context, input, call);
    if (payment.kind !== 'none') {
      return await payFor(context, call, purchase, payment, async (db, result) => {
        const answer = await presentRegistration(db, context, result);
        return { ...answer, data: withoutSecretsFor(call.caller, answer.data) };
      });
    }
    // Check the name before the payment.
    await purchase.requireOnOffer();
    throw challenge(context, purchase.offer, withReference(context, purchase, call.caller));
  };
}

function readPurchase(context: X402Context, input: Input, call: Call): Purchase {
  const { caller } = call;
  const named = readNamedOwner(input);
  if (named !== undefined && caller.wallet !== undefined && named !== caller.wallet.address) throw new MarketError('wallet_mismatch');
  // Also refuses an account and a signature that are not linked, before anything is paid.
  const registration = readRegistration(context, input, call, ownerWalletOf(caller));
  return {
    purpose: 'registration',
    subjectId: registration.id,
    fingerprint: fingerprintOfRegistration(registration),
    offer: registrationOffer(context),
    challenge: {
      form: formOf('flat', input.x402Version),
      network: networkChosen(input, context.chains),
      ...payableAddress(context.baseUrl, 'register'),
      method: 'POST',
      extension: registrationExtension(input.name),
      outputSchema: registrationFirstVersionSchema,
    },
    payableSince: new Date(0),
    prices: [{ amountMicros: context.registrationMicros, listMicros: context.registrationMicros, offeredSince: new Date(0) }],
    async requireOnOffer() {
      await requireRegistrable(context, registration, caller);
      await requireFreeName(context.database.db, context, registration);
    },
    async requireBuyer(paid) {
      if (caller.connection !== undefined) return requireOwnTransfer(caller, paid);
      requireNoContradiction(call, named, paid);
      await requireOneHolder(context, caller, paid);
    },
    pack: () => packRegistration(context, registration),
  };
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
