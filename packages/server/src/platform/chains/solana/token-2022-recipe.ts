/** Our own recipe for a Token-2022 mint: metadata on the mint, the whole supply for the paying wallet, and nobody can mint more. */
import { createTokenAccount } from './instructions.ts';
import {
  createMintAccount,
  forbidTransfers,
  giveUpMinting,
  initializeMint,
  mintTo,
  pointToMetadata,
  writeMetadata,
} from './mint-instructions.ts';
import type { MintRecipe } from './mint-recipe.ts';
import { bareMintBytes, mintBytes } from './mint-size.ts';
import { TOKEN_2022_PROGRAM } from './programs.ts';
import { deriveTokenAccount } from './token-account.ts';

export const token2022Recipe: MintRecipe = {
  words: new Map(),
  async listSteps({ rpc, treasury: wallet }, planned, mint) {
    const { name, symbol, uri, nonTransferable } = planned;
    const [lamports, tokenAccount] = await Promise.all([
      rpc.readRentMinimum(mintBytes(planned)),
      deriveTokenAccount(wallet, mint, TOKEN_2022_PROGRAM),
    ]);
    return [
      createMintAccount({ payer: wallet, mint, lamports, bytes: bareMintBytes({ nonTransferable }) }),
      pointToMetadata(mint, wallet),
      ...(nonTransferable ? [forbidTransfers(mint)] : []),
      initializeMint(mint, planned.decimals, wallet),
      writeMetadata({ mint, authority: wallet, name, symbol, uri }),
      createTokenAccount({ payer: wallet, tokenAccount, owner: wallet, mint, program: TOKEN_2022_PROGRAM }),
      mintTo({ mint, tokenAccount, authority: wallet, amount: planned.supply }),
      giveUpMinting(mint, wallet),
    ];
  },
};
