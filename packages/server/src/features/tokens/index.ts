/** Tokens of agents: registering one that exists, reading it with its market, and what operators mend. */
import type { HandlersOf } from '../../access/call.ts';
import { requireShownAgent } from '../agents/index.ts';
import { clearLaunch, clearToken } from './commands/clear-token.ts';
import { registerToken } from './commands/register-token.ts';
import { presentToken } from './present.ts';
import { NO_MARKET, readMarket } from './read-market.ts';
import type { TokensContext } from './tokens-context.ts';

export function tokenHandlers(context: TokensContext): Omit<HandlersOf<'tokens'>, 'launch' | 'metadata'> {
  return {
    async get({ id }, { caller }) {
      const agent = await requireShownAgent(context.database.db, caller, id);
      return { data: presentToken(agent, agent.tokenMint === null ? NO_MARKET : await readMarket(context, agent.tokenMint)) };
    },
    register: registerToken(context),
    clear: clearToken(context),
    clearLaunch: clearLaunch(context),
  };
}

export { lockLaunch, lockToken, releaseLaunch, writeToken } from './repository.ts';
export { requireTokenPlace } from './token-place.ts';
