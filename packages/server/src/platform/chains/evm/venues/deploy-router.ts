/**
 * Deploys the router through the deterministic deployment proxy that EVM networks share. Address and code follow from its sources, so
 * anyone can check them, and a second deployment fails instead of making a second router.
 */
import { earnRouter } from '@market/sandbox/earn-router';
import type { Hex } from 'viem';
import { concatHex, getContractAddress } from 'viem/utils';
import { ChainUnavailable, TransferRefused } from '../../chain.ts';
import type { EarnRouterDeployer } from '../../earn-router.ts';
import { askNode, estimateGas, readNativeBalance, readTransactionCount } from '../ask-node.ts';
import { readDataFee } from '../data-fee.ts';
import { canonicalAddress, type EvmContext } from '../evm-context.ts';
import { ExecutionReverted } from '../execution-reverted.ts';
import { estimateFees, readGasPrice } from '../fees.ts';
import { bytes as bytesAnswer } from '../node-answers.ts';
import { addGasMargin, requireCoins, sealTransaction } from '../treasury-transaction.ts';
import { checkRouter } from './check-venue.ts';

/** Creates contracts by CREATE2 from a salt and their creation code. */
const PROXY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const SALT: Hex = `0x${'00'.repeat(32)}`;
const CALL = { to: PROXY, data: concatHex([SALT, earnRouter.creationCode]) } as const;
const SIGNED_BYTES = BigInt(earnRouter.creationCode.length / 2) + 160n;

const ADDRESS = getContractAddress({ opcode: 'CREATE2', from: PROXY, salt: SALT, bytecode: earnRouter.creationCode });

export function createRouterDeployer(context: EvmContext): EarnRouterDeployer {
  return {
    address: ADDRESS,
    async check(address) {
      const router = canonicalAddress(address);
      return router === undefined ? `${address} is no address.` : await checkRouter(context, router);
    },
    async estimate() {
      const [gas, price, dataFee] = await Promise.all([findGas(context), readGasPrice(context), readDataFee(context, SIGNED_BYTES)]);
      return gas * price + dataFee;
    },
    async sign() {
      const { network, signer, treasury } = context;
      if (signer === undefined) throw new ChainUnavailable(network, `this process has no key of the treasury ${treasury}`);
      const gas = addGasMargin(await findGas(context));
      const fees = await estimateFees(context);
      requireCoins(context, await readNativeBalance(context, treasury), gas * fees.maxFeePerGas);
      const nonce = await readTransactionCount(context, treasury, 'pending');
      return await sealTransaction(context, signer, { ...CALL, value: 0n, gas, fees, nonce });
    },
  };
}

async function findGas(context: EvmContext): Promise<bigint> {
  const { network, treasury } = context;
  const code = await askNode(context, 'eth_getCode', [PROXY, 'latest'], bytesAnswer);
  if (code === '0x')
    throw new TransferRefused('other', `${network} has no deployment proxy at ${PROXY}. Deploy the router by other means.`);
  try {
    return await estimateGas(context, { from: treasury, ...CALL });
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    throw new TransferRefused('other', `The router cannot be deployed at ${ADDRESS} on ${network}: ${error.reason}`, error);
  }
}
