/** Tokens and identities that agents make on chain, paid by their own wallets, each exactly once. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { findAgent, isPublicAgent } from '../../agents/index.ts';
import { launchToken } from './commands/launch-token.ts';
import type { LaunchesContext } from './launches-context.ts';
import { presentMetadata } from './present.ts';
import { findMintByAddress } from './repository.ts';

export function launchHandlers(context: LaunchesContext): Pick<HandlersOf<'tokens'>, 'launch' | 'metadata'> {
  const { db } = context.agentWallets.database;
  return {
    launch: launchToken(context),
    async metadata({ mint }) {
      const made = await findMintByAddress(db, mint);
      const agent = made?.kind === 'token_launch' ? await findAgent(db, made.agentId) : undefined;
      if (made === undefined || agent === undefined) throw new MarketError('not_found');
      return { data: presentMetadata(context, made, agent, isPublicAgent(agent)) };
    },
  };
}

export { mintIdentity } from './commands/mint-identity.ts';
export { openMintKey, sealedMintColumns } from './mint-key.ts';
export { mintMovements } from './mint-movements.ts';
export { tokenPictureGuard } from './picture-guard.ts';
export { requireLaunchable } from './require-launchable.ts';
