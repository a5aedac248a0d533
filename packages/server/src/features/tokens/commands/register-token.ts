/** POST /api/agents/{id}/token: puts a token that exists on the agent's record, once. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { MintMention, MintNames, TokenReader } from '../../../platform/chains/token-reader.ts';
import { isUniqueViolation } from '../../../platform/db/database.ts';
import { findAgent } from '../../agents/index.ts';
import { isCreator } from '../judge-creator.ts';
import { presentToken, type TokenRow } from '../present.ts';
import { readMarket } from '../read-market.ts';
import { requireRegisteringWallet } from '../registering-wallet.ts';
import { lockToken, writeToken } from '../repository.ts';
import { keepFreeNames, requireFreeNames } from '../require-free-names.ts';
import { agreesWithMint, namedBy, tokenWords } from '../token-words.ts';
import type { TokensContext } from '../tokens-context.ts';

interface Named {
  readonly token_mint: string;
  readonly token_name: string;
  readonly token_symbol: string;
  readonly token_tx_hash?: string | null | undefined;
}

export function registerToken(context: TokensContext): HandlersOf<'tokens'>['register'] {
  const { database, clock, events } = context;
  return async ({ id, ...input }, call) => {
    const agent = await findAgent(database.db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    const wallet = await requireRegisteringWallet(database.db, call.caller, agent, input.token_creator_wallet);
    const names = { name: input.token_name, symbol: input.token_symbol, mint: input.token_mint };
    await requireFreeNames(database.db, agent, names, context.serviceName);
    const tokenNamedBy = await requireOnChain(context, input, wallet);
    const market = await readMarket(context, input.token_mint);
    try {
      return await call.commit(async (tx) => {
        const locked = await lockToken(tx, agent.id);
        if (locked === undefined) throw new MarketError('agent_not_found');
        await requireRegisteringWallet(tx, call.caller, locked, input.token_creator_wallet);
        await keepFreeNames(tx, locked, names, context.serviceName);
        const token: TokenRow = {
          ...locked,
          tokenMint: input.token_mint,
          tokenName: input.token_name,
          tokenSymbol: input.token_symbol,
          tokenNamedBy,
          tokenReadAt: clock.now(),
          tokenWords: [...tokenWords(names, context.serviceName)],
          tokenImageUrl: input.token_image_url ?? null,
          tokenMode: input.token_mode,
          tokenCreatorWallet: wallet,
          tokenTxHash: input.token_tx_hash ?? null,
          tokenCreatedAt: clock.now(),
        };
        await writeToken(tx, token, clock.now());
        const data = {
          mint: token.tokenMint,
          name: token.tokenName,
          symbol: token.tokenSymbol,
          named_by: tokenNamedBy,
          mode: token.tokenMode,
          creator_wallet: wallet,
        };
        await events.append(tx, [{ type: 'agent.token_registered', subjectId: agent.id, agentId: agent.id, data }]);
        return { data: presentToken(token, market, context.explorerUrl) };
      });
    } catch (error) {
      if (isUniqueViolation(error, 'agents_token_mint_key')) throw new MarketError('token_mint_taken');
      throw error;
    }
  };
}

/** Checks mint, transaction, maker and names on chain, outside of any transaction. Returns who named the token. */
async function requireOnChain({ chains, serviceName }: TokensContext, input: Named, wallet: string): Promise<'mint' | 'owner'> {
  const { token_mint: mint, token_tx_hash: hash } = input;
  const tokens = chains.get('solana-mainnet')?.tokens;
  if (tokens === undefined) throw new MarketError('tokens_unavailable');
  const facts = await tokens.readMint(mint);
  if (facts === undefined) throw new MarketError('token_mint_unknown');
  const mention = hash == null ? undefined : await requireMention(tokens, hash, mint);
  if (!isCreator(wallet, facts, mention)) throw new MarketError('token_creator_unproven');
  const given = { name: input.token_name, symbol: input.token_symbol };
  if (facts.names !== null && !agreesWithMint(facts.names, given, serviceName)) throw differing(facts.names);
  return namedBy(facts.names);
}

/** The metadata is a stranger's text: shortened, and without what deceives readers. */
function differing({ name, symbol }: MintNames): MarketError {
  const [shownName, shownSymbol] = [name, symbol].map((text) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, 40));
  return new MarketError('token_name_differs', {
    message: `The metadata of the mint says the name "${shownName}" and the symbol "${shownSymbol}". Send these as token_name and token_symbol.`,
    data: { mint_name: shownName, mint_symbol: shownSymbol },
  });
}

async function requireMention(tokens: TokenReader, hash: string, mint: string): Promise<MintMention> {
  const mention = await tokens.readMention(hash, mint);
  const refuse = (message: string) => new MarketError('token_tx_invalid', { message });
  if (mention.state === 'missing') throw refuse('The transaction in token_tx_hash is not on Solana, or not confirmed yet.');
  if (mention.state === 'failed') throw refuse('The transaction in token_tx_hash failed.');
  if (!mention.mentionsMint) throw refuse('The transaction in token_tx_hash does not name the mint.');
  return mention;
}
