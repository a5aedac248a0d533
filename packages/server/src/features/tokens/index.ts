/** Tokens of agents: registering one that exists, reading it with its market, and what operators mend. */
import type { HandlersOf } from '../../access/call.ts';
import { requireShownAgent } from '../agents/index.ts';
import { clearLaunch, clearToken } from './commands/clear-token.ts';
import { registerToken } from './commands/register-token.ts';
import { presentPrices, presentToken } from './present.ts';
import { listPrices } from './prices-repository.ts';
import { NO_MARKET, readMarket } from './read-market.ts';
import type { TokensContext } from './tokens-context.ts';

export function tokenHandlers(context: TokensContext): Omit<HandlersOf<'tokens'>, 'launch' | 'metadata'> {
  return {
    async get({ id }, { caller }) {
      const agent = await requireShownAgent(context.database.db, caller, id);
      const market = agent.tokenMint === null ? NO_MARKET : await readMarket(context, agent.tokenMint);
      return { data: presentToken(agent, market, context.explorerUrl) };
    },
    async priceHistory({ id, period }, { caller }) {
      const { id: agentId, tokenMint } = await requireShownAgent(context.database.db, caller, id);
      const points = tokenMint === null ? [] : await listPrices(context.database.db, tokenMint, period);
      return { data: { agent_id: agentId, token_mint: tokenMint, period, points: presentPrices(points) } };
    },
    register: registerToken(context),
    clear: clearToken(context),
    clearLaunch: clearLaunch(context),
  };
}

export { noteReadPrices } from './noted-prices.ts';
export { requireRegisteringWallet } from './registering-wallet.ts';
export { lockLaunch, lockToken, releaseLaunch, writeToken } from './repository.ts';
export { keepFreeNames, requireFreeNames } from './require-free-names.ts';
export { tokenJobs } from './token-jobs.ts';
export { tokenWords } from './token-words.ts';
