/** Payments by dishonest, unlucky or sponsored payers. */
import assert from 'node:assert/strict';
import type { Address } from '@solana/addresses';
import type { Hex } from 'viem';
import { concatHex, numberToHex } from 'viem/utils';
import { addressTopic, TRANSFER_TOPIC } from '../../packages/server/src/platform/chains/evm/usdc.ts';
import { createTokenAccount } from '../../packages/server/src/platform/chains/solana/instructions.ts';
import { deriveTokenAccount } from '../../packages/server/src/platform/chains/solana/token-account.ts';
import { authorize } from '../../packages/server/testing/evm-test-chain.ts';
import { createAccount, initializeMint, mintTo } from '../../packages/server/testing/solana-test-instructions.ts';
import { createSolanaWallet, type EvmPayer, type Payer, type SolanaPayer, solanaPayment, untilLanded } from './payers.ts';

export type HostileVariant =
  /** Pays in a token of the payer's own that looks like USDC to a careless reader. */
  | { readonly how: 'look_alike'; readonly to: string; readonly micros: bigint }
  /** Lands in a block and fails there. */
  | { readonly how: 'failing'; readonly to: string }
  /** Another wallet sends it and pays the fee. */
  | { readonly how: 'sponsored'; readonly to: string; readonly micros: bigint; readonly sponsor: Payer };

/** Returns the reference once the transaction is final. */
export async function payWith(payer: Payer, variant: HostileVariant): Promise<string> {
  const reference = payer.kind === 'evm' ? await payOnEvm(payer, variant) : await payOnSolana(payer, variant);
  await untilLanded(payer.chain, reference, 'final');
  return reference;
}

const MORE_THAN_ANYBODY_HAS = 10n ** 15n;
/** A contract that emits its call data as an event: three topics, one word of data. */
const EVENT_FORGER = '0x601a600c600039601a6000f36020606060003760403560203560003560206000a300';

async function payOnEvm(payer: EvmPayer, variant: HostileVariant): Promise<string> {
  const to = variant.to as Hex;
  switch (variant.how) {
    case 'look_alike': {
      const deployed = await payer.wallet.sendTransaction({ data: EVENT_FORGER, gas: 200_000n });
      const { contractAddress } = await payer.reader.waitForTransactionReceipt({ hash: deployed });
      assert.ok(contractAddress);
      const value = numberToHex(variant.micros, { size: 32 });
      const event = concatHex([TRANSFER_TOPIC, addressTopic(payer.wallet.account.address), addressTopic(to), value]);
      return await payer.wallet.sendTransaction({ to: contractAddress, data: event, gas: 100_000n });
    }
    case 'failing':
      return await payer.pay(to, MORE_THAN_ANYBODY_HAS, 'sent');
    case 'sponsored': {
      assert.ok(variant.sponsor.kind === 'evm');
      const data = await authorize(payer.wallet, to, variant.micros);
      return await variant.sponsor.wallet.sendTransaction({ to: payer.chain.usdcAddress as Hex, data, gas: 200_000n });
    }
  }
}

async function payOnSolana(payer: SolanaPayer, variant: HostileVariant): Promise<string> {
  const { wallet } = payer;
  const to = variant.to as Address;
  switch (variant.how) {
    case 'look_alike': {
      const mint = createSolanaWallet();
      const tokenAccount = await deriveTokenAccount(to, mint.address);
      const issue = [createAccount(wallet.address, mint.address, 82), initializeMint(mint.address, wallet.address)];
      const open = createTokenAccount({ payer: wallet.address, tokenAccount, owner: to, mint: mint.address });
      return await payer.send([...issue, open, mintTo(mint.address, tokenAccount, wallet.address, variant.micros)], [wallet, mint]);
    }
    case 'failing':
      return await payer.pay(to, MORE_THAN_ANYBODY_HAS, 'sent');
    case 'sponsored': {
      assert.ok(variant.sponsor.kind === 'solana');
      const sponsor = variant.sponsor.wallet;
      const mint = payer.chain.usdcAddress as Address;
      const payment = await solanaPayment(sponsor.address, wallet.address, to, mint, variant.micros);
      return await payer.send(payment, [sponsor, wallet]);
    }
  }
}
