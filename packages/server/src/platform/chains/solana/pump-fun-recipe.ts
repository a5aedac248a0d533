/**
 * A coin of pump.fun: its program creates a Token-2022 mint with the whole supply on a bonding curve. Anybody can trade it there at once.
 * The paying wallet is the creator on record and buys nothing. The instruction is written by hand, because pump.fun's SDK brings 86
 * packages.
 */
import { TransferRefused } from '../chain.ts';
import type { MintRecipe } from './mint-recipe.ts';
import { deriveGlobal, GLOBAL_BYTES, readPumpGlobal } from './pump-accounts.ts';
import { createPumpCoin } from './pump-instructions.ts';
import type { SolanaContext } from './solana-context.ts';

/** The program gives all its coins this many decimals. */
const DECIMALS = 6;
const LONGEST_URI = 200;
const CLOSED = 'pump.fun does not take new coins at the moment.';
const LONG_URI = 'The address of the metadata is longer than pump.fun takes.';

export const pumpFunRecipe: MintRecipe = {
  words: new Map([
    [6043, 'The name is longer than pump.fun takes.'],
    [6044, 'The symbol is longer than pump.fun takes.'],
    [6045, LONG_URI],
    [6046, CLOSED],
  ]),
  async listSteps(context, { name, symbol, uri, decimals, supply }, mint) {
    if (Buffer.byteLength(uri) > LONGEST_URI) throw new TransferRefused('other', LONG_URI);
    const totalSupply = await requireOpen(context);
    if (totalSupply !== supply || decimals !== DECIMALS)
      throw new TransferRefused('other', 'pump.fun would make another number of tokens than was planned.');
    return [await createPumpCoin({ mint, wallet: context.treasury, name, symbol, uri })];
  },
};

/**
 * The supply of a new coin. Throws unless the program accepts new coins. Read before each signature, because an absent program cannot
 * refuse.
 */
async function requireOpen({ rpc }: SolanaContext): Promise<bigint> {
  const [account] = await rpc.readAccounts([await deriveGlobal()], GLOBAL_BYTES);
  if (account == null) throw new TransferRefused('other', 'pump.fun is not on this network. An operator must choose another launcher.');
  const global = readPumpGlobal(account);
  if (global === undefined)
    throw new TransferRefused('other', 'pump.fun has changed in a way that this launcher does not know. An operator must look.');
  if (!global.isCreateEnabled) throw new TransferRefused('other', CLOSED);
  return global.tokenTotalSupply;
}
