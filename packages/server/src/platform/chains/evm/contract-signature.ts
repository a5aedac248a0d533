/** Signatures of contract wallets: the wallet's contract confirms them (ERC-1271), even before its deployment (ERC-6492). */
import type { Hex } from 'viem';
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  hashMessage,
  isErc6492Signature,
  parseAbi,
  parseAbiParameters,
} from 'viem/utils';
import { callContract } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';

const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
const MAGIC_VALUE = '0x1626ba7e';
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2}){1,8192}$/;
/** A contract wallet runs untrusted code, so its gas is limited. */
const GAS = 5_000_000n;

export async function verifyContractSignature(context: EvmContext, wallet: Hex, text: string, signature: string): Promise<boolean> {
  if (!SIGNATURE.test(signature)) return false;
  const hash = hashMessage(text);
  try {
    return isErc6492Signature(signature as Hex)
      ? await askValidator(context, wallet, hash, signature as Hex)
      : await askWallet(context, wallet, hash, signature as Hex);
  } catch (error) {
    if (error instanceof ExecutionReverted) return false;
    throw error;
  }
}

async function askWallet(context: EvmContext, wallet: Hex, hash: Hex, signature: Hex): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args: [hash, signature] });
  const answer = await callContract(context, { to: wallet, data, gas: GAS });
  // An address without code returns nothing; a contract that echoes its input returns more than one word.
  return answer.length === 66 && answer.startsWith(MAGIC_VALUE);
}

/**
 * The validator of ERC-6492 runs as the constructor of a contract that is never deployed. It deploys the wallet if necessary, asks it, and
 * returns one byte.
 */
async function askValidator(context: EvmContext, wallet: Hex, hash: Hex, signature: Hex): Promise<boolean> {
  // Only the library's main entry exports the validator; it loads slowly and few callers need it.
  const { erc6492SignatureValidatorByteCode } = await import('viem');
  const question = encodeAbiParameters(parseAbiParameters('address, bytes32, bytes'), [wallet, hash, signature]);
  return (await callContract(context, { data: concatHex([erc6492SignatureValidatorByteCode, question]), gas: GAS })) === '0x01';
}
