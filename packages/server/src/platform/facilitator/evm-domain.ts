/** An EVM network as the facilitator needs it, and the EIP-712 domain of its USDC. */
import { networkFacts } from '@market/contract';
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import { ChainUnavailable } from '../chains/chain.ts';
import { callContract } from '../chains/evm/ask-node.ts';
import { canonicalAddress, type EvmContext, type UsdcDomain } from '../chains/evm/evm-context.ts';
import { createJsonRpcClient, type JsonRpcClient } from '../chains/json-rpc.ts';
import type { NetworkEndpoint } from '../chains/network-endpoints.ts';
import { guardedBy } from '../chains/node-watch.ts';

const FIVE_GWEI = 5n * 10n ** 9n;

export function openEvmContext(endpoint: NetworkEndpoint, treasury: string, rpc: JsonRpcClient = openRpc(endpoint)): EvmContext {
  const { network, caip2, usdcAddress, isMainnet } = endpoint;
  const { finality } = networkFacts[network];
  const [usdc, owner] = [canonicalAddress(usdcAddress), canonicalAddress(treasury)];
  if (usdc === undefined || owner === undefined)
    throw new Error(`The addresses of USDC and the treasury on ${network} must be EVM addresses.`);
  return {
    network,
    chainId: Number(caip2.split(':')[1]),
    rpc,
    usdc,
    treasury: owner,
    signer: undefined,
    usdcDomain: { name: '', version: '' },
    confirmedDepth: BigInt(finality.confirmations - 1),
    finalTag: isMainnet ? finality.finalTag : 'finalized',
    startBlock: undefined,
    maxFeePerGas: FIVE_GWEI,
  };
}

export function openRpc({ network, urls, watch }: NetworkEndpoint): JsonRpcClient {
  return guardedBy(watch, createJsonRpcClient({ network, urls }));
}

const abi = parseAbi(['function name() view returns (string)', 'function version() view returns (string)']);

export async function readUsdcDomain(context: EvmContext): Promise<UsdcDomain> {
  const [name, version] = await Promise.all([readText(context, 'name'), readText(context, 'version')]);
  return { name, version };
}

async function readText(context: EvmContext, functionName: 'name' | 'version'): Promise<string> {
  const data = await callContract(context, { to: context.usdc, data: encodeFunctionData({ abi, functionName }) });
  try {
    return decodeFunctionResult({ abi, functionName, data });
  } catch (error) {
    throw new ChainUnavailable(context.network, `the contract ${context.usdc} does not return its ${functionName}`, error);
  }
}
