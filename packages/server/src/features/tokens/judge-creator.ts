/** Whether the chain shows that a wallet made a token. Pure: the facts come from the chain port. */
import type { MintFacts, MintMention } from '../../platform/chains/token-reader.ts';

/**
 * The launch program's record decides. Otherwise the wallet holds the authority over the mint or its metadata, or it signed the transaction
 * that made the mint. A signature on a later transaction proves nothing: every holder has one.
 */
export function isCreator(wallet: string, facts: MintFacts, mention: MintMention | undefined): boolean {
  if (facts.creator !== null) return facts.creator === wallet;
  if (facts.mintAuthority === wallet || facts.metadataAuthority === wallet) return true;
  return mention?.state === 'landed' && mention.createdMint && mention.signers.includes(wallet);
}
