/** The instructions that create a Token-2022 mint with its metadata on the mint itself. */
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import { createNoopSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AuthorityType,
  getInitializeMetadataPointerInstruction,
  getInitializeMint2Instruction,
  getInitializeNonTransferableMintInstruction,
  getInitializeTokenMetadataInstruction,
  getMintToInstruction,
  getSetAuthorityInstruction,
} from '@solana-program/token-2022';
import { TOKEN_2022_PROGRAM } from './programs.ts';

export function createMintAccount(from: { payer: Address; mint: Address; lamports: bigint; bytes: number }): Instruction {
  return getCreateAccountInstruction({
    payer: createNoopSigner(from.payer),
    newAccount: createNoopSigner(from.mint),
    lamports: from.lamports,
    space: from.bytes,
    programAddress: TOKEN_2022_PROGRAM,
  });
}

/** Declares that the mint itself contains the metadata. */
export function pointToMetadata(mint: Address, authority: Address): Instruction {
  return getInitializeMetadataPointerInstruction({ mint, authority, metadataAddress: mint });
}

export function forbidTransfers(mint: Address): Instruction {
  return getInitializeNonTransferableMintInstruction({ mint });
}

/** Sets no freeze authority, so nobody can freeze accounts of this token. */
export function initializeMint(mint: Address, decimals: number, authority: Address): Instruction {
  return getInitializeMint2Instruction({ mint, decimals, mintAuthority: authority });
}

export function writeMetadata(on: { mint: Address; authority: Address; name: string; symbol: string; uri: string }): Instruction {
  const { mint, authority, ...texts } = on;
  const mintAuthority = createNoopSigner(authority);
  return getInitializeTokenMetadataInstruction({ metadata: mint, updateAuthority: authority, mint, mintAuthority, ...texts });
}

export function mintTo(to: { mint: Address; tokenAccount: Address; authority: Address; amount: bigint }): Instruction {
  const { mint, tokenAccount: token, authority, amount } = to;
  return getMintToInstruction({ mint, token, mintAuthority: createNoopSigner(authority), amount });
}

/** Removes the mint authority, so nobody can mint more. */
export function giveUpMinting(mint: Address, authority: Address): Instruction {
  const owner = createNoopSigner(authority);
  return getSetAuthorityInstruction({ owned: mint, owner, authorityType: AuthorityType.MintTokens, newAuthority: null });
}
