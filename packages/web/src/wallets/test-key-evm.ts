import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import type { TestKey } from './test-key.ts';
import type { PreparedCall } from './wallet-session.ts';

export function openEvmKey(secret: Uint8Array): TestKey {
  const account = privateKeyToAccount(`0x${Array.from(secret, (byte) => byte.toString(16).padStart(2, '0')).join('')}`);
  const signCall = async (call: PreparedCall) => {
    const { chain_id, to, data, gas, max_fee_per_gas, max_priority_fee_per_gas, nonce } = call;
    const signed = await account.signTransaction({
      type: 'eip1559',
      chainId: chain_id,
      to: to as Hex,
      data: data as Hex,
      gas: BigInt(gas),
      maxFeePerGas: BigInt(max_fee_per_gas),
      maxPriorityFeePerGas: BigInt(max_priority_fee_per_gas),
      nonce,
    });
    return { reference: keccak256(signed), signed };
  };
  return {
    address: account.address,
    signMessage: (message) => account.signMessage({ message }),
    async signPayment({ transaction }) {
      if (transaction.kind !== 'evm') throw new Error('This payment is for another kind of wallet.');
      return await signCall(transaction);
    },
    signCall,
  };
}
