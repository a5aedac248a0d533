/** POST /api/agents/register without a payment. The wallet that signs, or the account signed in, owns the new agent. */
import { MarketError, type OperationArguments, type Operations } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { walletsOf } from '../../../access/caller.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import type { AgentsContext } from '../agents-context.ts';
import { withoutSecretsFor } from '../present.ts';
import {
  createAgent,
  isNameClash,
  ownerMismatch,
  ownerWalletOf,
  readRegistration,
  requireFreeName,
  requireRegistrable,
} from '../registration.ts';

type Input = OperationArguments<Operations['agents']['register']>;

export function registerAgent(context: AgentsContext): HandlersOf<'agents'>['register'] {
  return async (input, call) => {
    const registration = readRegistration(context, input, call, provenOwnerWallet(input, call));
    await requireRegistrable(context, registration, call.caller);
    try {
      return await call.commit(async (tx) => {
        const data = await createAgent(tx, context, registration);
        return { data: withoutSecretsFor(call.caller, data), x402: null };
      });
    } catch (error) {
      if (!isNameClash(error)) throw error;
      // Of two concurrent registrations of one name the index accepts one; the other gets its error here.
      await requireFreeName(context.database.db, context, registration);
      throw new MarketError('name_taken');
    }
  };
}

/** The signing wallet, if it is the named owner. A named wallet without signature becomes owner only if it is linked to the account. */
function provenOwnerWallet(input: Input, { caller }: Call): string | null {
  const named = input.owner_wallet === undefined ? undefined : canonicalWallet(input.owner_wallet)?.address;
  if (input.owner_wallet !== undefined && named === undefined) {
    throw new MarketError('invalid_input', { message: 'owner_wallet must be a base58 Solana address or a 0x EVM address.' });
  }
  const wallet = ownerWalletOf(caller);
  if (named !== undefined && caller.connection !== undefined && !walletsOf(caller).includes(named)) {
    throw ownerMismatch(caller.connection.person, named);
  }
  if (wallet !== null && named !== undefined && named !== wallet) throw new MarketError('wallet_mismatch');
  if (wallet !== null || named === undefined || caller.connection !== undefined) return wallet;
  return caller.user?.wallets.includes(named) === true ? named : null;
}
