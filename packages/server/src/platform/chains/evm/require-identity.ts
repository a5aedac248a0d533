/** Proves the chain of a node by the hash of an old block, because a node can claim any chain id. */
import type { Hex } from 'viem';
import { encodeAbiParameters, keccak256, parseAbiParameters, stringToHex } from 'viem/utils';
import { askNode, readBlock } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { quantity } from './node-answers.ts';
import { readDomainSeparator } from './usdc.ts';

export interface ChainIdentity {
  readonly blockNumber: bigint;
  readonly blockHash: string;
}

/** Returns the identity that the node must keep: the pinned one, otherwise its first block. */
export async function requireIdentity(context: EvmContext, identity: ChainIdentity | undefined): Promise<ChainIdentity | undefined> {
  const { network, chainId, usdc } = context;
  const served = await askNode(context, 'eth_chainId', [], quantity);
  if (served !== BigInt(chainId)) throw new Error(`The node for ${network} serves chain ${served}, not ${chainId}. Check its URL.`);
  if (identity !== undefined) {
    const block = await readBlock(context, identity.blockNumber);
    if (block?.hash !== identity.blockHash.toLowerCase()) {
      throw new Error(`The node for ${network} has another block ${identity.blockNumber} than the real chain. Check its URL.`);
    }
  }
  const first = identity ?? (await findFirstBlock(context));
  // With another name or version, USDC would refuse every payout we sign.
  if ((await readDomainSeparator(context)) !== BigInt(hashDomain(context))) {
    throw new Error(`The contract ${usdc} on ${network} is not the USDC we sign for. Check its address, name and version.`);
  }
  return first;
}

/** Undefined if the node no longer has the block. */
async function findFirstBlock(context: EvmContext): Promise<ChainIdentity | undefined> {
  const block = await readBlock(context, 0n);
  return block === null ? undefined : { blockNumber: 0n, blockHash: block.hash };
}

function hashDomain({ usdcDomain: { name, version }, chainId, usdc }: EvmContext): Hex {
  const type = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
  const hashed = [type, name, version].map((text) => keccak256(stringToHex(text)));
  const [typeHash = '0x', nameHash = '0x', versionHash = '0x'] = hashed;
  const words = parseAbiParameters('bytes32, bytes32, bytes32, uint256, address');
  return keccak256(encodeAbiParameters(words, [typeHash, nameHash, versionHash, BigInt(chainId), usdc]));
}
