/** The form of a token registration: its fields, their problems, and the explanation of a refusal. Pure. */
import { tokenBounds } from '@market/contract';
import type { Arguments } from '../../../data/answers.ts';

export interface RegisterDraft {
  readonly mint: string;
  readonly name: string;
  readonly symbol: string;
  readonly mode: 'pumpfun' | 'byot';
  readonly transaction: string;
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const TRANSACTION = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Problems by field; empty if the draft can be sent. */
export function draftProblems({ mint, name, symbol, transaction }: RegisterDraft): Partial<Record<keyof RegisterDraft, string>> {
  const fits = (text: string, most: number): boolean => text.trim().length >= 1 && text.trim().length <= most;
  return {
    ...(!ADDRESS.test(mint.trim()) && { mint: 'Paste the address of the mint: 32 to 44 letters and digits.' }),
    ...(!fits(name, tokenBounds.name) && { name: `Use 1 to ${tokenBounds.name} characters.` }),
    ...(!fits(symbol, tokenBounds.symbol) && { symbol: `Use 1 to ${tokenBounds.symbol} characters.` }),
    ...(transaction.trim() !== '' &&
      !TRANSACTION.test(transaction.trim()) && { transaction: 'Paste the signature of the transaction, or leave it empty.' }),
  };
}

export function registrationOf(
  { mint, name, symbol, mode, transaction }: RegisterDraft,
  agent: string,
  wallet: string,
): Arguments<'tokens.register'> {
  return {
    id: agent,
    token_mint: mint.trim(),
    token_name: name.trim(),
    token_symbol: symbol.trim(),
    token_mode: mode,
    token_creator_wallet: wallet,
    ...(transaction.trim() !== '' && { token_tx_hash: transaction.trim() }),
  };
}

/** The next step after a refusal, by its code. Other refusals keep the API's words. */
const nextSteps: Readonly<Record<string, string>> = {
  token_mint_unknown: 'There is no token at this mint address on Solana. Go back and compare it with your wallet or the explorer.',
  token_mint_taken: 'Another agent has this token on record. If it is yours, write to the operators.',
  token_creator_unproven:
    'The chain does not show that this wallet made the token. Sign with the wallet that did, or go back and add the transaction that made it.',
  token_tx_invalid: 'This transaction did not make the token, or the chain does not know it. Go back and correct it, or leave it empty.',
  token_name_reserved:
    'Name and symbol may not look like the marketplace, USDC, SOL, or another token or agent here. Write to the operators if they are yours.',
  not_token_owner: 'This wallet does not own the agent. Choose the owner’s wallet, or sign in with the account that owns it.',
};

export function refusalWords(code: string): string | undefined {
  return nextSteps[code];
}
