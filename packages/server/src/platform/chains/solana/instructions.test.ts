/** Compares the libraries' instructions with those of our own former builder, which made `solana-instruction-bytes.json`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAddressDecoder } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import type { Blockhash } from '@solana/kit';
import expected from '../../../../testing/solana-instruction-bytes.json' with { type: 'json' };
import { composeTransaction } from './compose-transaction.ts';
import { createTokenAccount, setComputeLimit, setComputePrice, transferSol, transferUsdc, writeMemo } from './instructions.ts';
import * as minting from './mint-instructions.ts';
import { TOKEN_2022_PROGRAM } from './programs.ts';

const key = (byte: number) => getAddressDecoder().decode(new Uint8Array(32).fill(byte));
const [payer, wallet, mint, tokenAccount, other] = [key(1), key(2), key(3), key(4), key(5)] as const;
const LIFETIME = { blockhash: key(9) as string as Blockhash, lastValidBlockHeight: 0n };
const LARGEST = 2n ** 64n - 1n;

const built: Readonly<Record<keyof typeof expected, Instruction>> = {
  'compute limit': setComputeLimit(1_400_000),
  'compute price': setComputePrice(LARGEST),
  'token account': createTokenAccount({ payer, tokenAccount, owner: wallet, mint }),
  'token account of Token-2022': createTokenAccount({ payer, tokenAccount, owner: wallet, mint, program: TOKEN_2022_PROGRAM }),
  'token account of the payer': createTokenAccount({ payer, tokenAccount, owner: payer, mint }),
  'USDC transfer': transferUsdc({ source: tokenAccount, mint, destination: other, owner: wallet, micros: 25_000_001n }),
  'SOL transfer': transferSol(wallet, other, LARGEST),
  memo: writeMemo('Zahlung für Äpfel · 🍏'),
  'mint account': minting.createMintAccount({ payer, mint, lamports: 3_000_000n, bytes: 234 }),
  'metadata pointer': minting.pointToMetadata(mint, wallet),
  'no transfers': minting.forbidTransfers(mint),
  mint: minting.initializeMint(mint, 6, wallet),
  metadata: minting.writeMetadata({ mint, authority: wallet, name: 'Größe', symbol: 'GRÖ', uri: 'https://example.com/a.json' }),
  minted: minting.mintTo({ mint, tokenAccount, authority: wallet, amount: LARGEST }),
  'no more minting': minting.giveUpMinting(mint, wallet),
};

for (const [name, instruction] of Object.entries(built)) {
  test(`a message with the instruction "${name}" has the bytes of our own former builder`, () => {
    const message = composeTransaction(payer, LIFETIME, [instruction]).messageBytes;
    assert.equal(Buffer.from(message).toString('hex'), expected[name as keyof typeof expected]);
  });
}
