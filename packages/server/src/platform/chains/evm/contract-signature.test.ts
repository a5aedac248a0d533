import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { sandboxSmartWallet } from '@market/sandbox/evm';
import { concatHex, type Hex } from 'viem';
import { encodeDeployData, getContractAddress, keccak256, serializeErc6492Signature, stringToHex } from 'viem/utils';
import { startBentNode } from '../../../../testing/bent-node.ts';
import { deploy, type Person, startTestChain, type TestChain } from '../../../../testing/evm-test-chain.ts';
import { ChainUnavailable } from '../chain.ts';

const TEXT = 'Sign in to the market';
/** A factory that deploys at a predictable address: its calldata is a salt and the contract's creation code. */
const FACTORY = '0x601e600c600039601e6000f3602036038060206000376000359060006000f515601857005b60006000fd';

suite('signatures of contract wallets', () => {
  let evm: TestChain;
  let owner: Person;
  let stranger: Person;
  let wallet: Hex;
  before(async () => {
    evm = await startTestChain();
    [owner, stranger] = await Promise.all([evm.createPerson(), evm.createPerson()]);
    wallet = await deploy(evm, owner, creationCode(owner));
  });
  const creationCode = (person: Person): Hex =>
    encodeDeployData({ abi: sandboxSmartWallet.abi, bytecode: sandboxSmartWallet.creationCode, args: [person.account.address] });
  const sign = (person: Person, message = TEXT) => person.account.signMessage({ message });
  const verify = (signature: string, address: string = wallet) => evm.chain.verifyContractSignature(address, TEXT, signature);

  test('a contract wallet’s signature by its owner is accepted', async () => {
    assert.equal(await verify(await sign(owner)), true);
    assert.equal(await verify(await sign(owner), wallet.toLowerCase()), true);
  });

  test('a contract wallet’s signature by a stranger, over another text or damaged, is refused', async () => {
    assert.equal(await verify(await sign(stranger)), false);
    assert.equal(await verify(await sign(owner, 'Give me everything')), false);
    for (const broken of ['', '0x', '0x1', 'no hexadecimal', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(64)}`, `0x${'00'.repeat(9_000)}`]) {
      assert.equal(await verify(broken), false, broken.slice(0, 20));
    }
  });

  test('an address without code has no contract signature, also for its own key', async () => {
    assert.equal(await verify(await sign(owner), owner.account.address), false);
    assert.equal(await verify(await sign(owner), 'no address'), false);
    // The identity precompile of every chain echoes its input, which starts with the ERC-1271 magic value.
    assert.equal(await verify(await sign(owner), `0x${'4'.padStart(40, '0')}`), false);
  });

  test('a contract without isValidSignature accepts none', async () => {
    assert.equal(await verify(await sign(owner), evm.options.usdcAddress), false);
  });

  test('a contract that answers every call alike accepts none', async () => {
    // Returns 32 bytes of zeros, whatever the call.
    const yes = await deploy(evm, owner, '0x6005600c60003960056000f360206000f3');
    assert.equal(await verify(await sign(owner), yes), false);
  });

  test('a wallet that is not deployed yet signs by its owner and its factory (ERC-6492)', async () => {
    const factory = await deploy(evm, owner, FACTORY);
    const salt = keccak256(stringToHex('wallet'));
    const code = creationCode(owner);
    const future = getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode: code });
    const wrap = (signature: Hex): Hex => serializeErc6492Signature({ address: factory, data: concatHex([salt, code]), signature });
    assert.equal(await verify(await sign(owner), future), false);
    assert.equal(await verify(wrap(await sign(owner)), future), true);
    assert.equal(await verify(wrap(await sign(stranger)), future), false);
    assert.equal(await verify(wrap(await sign(owner)), owner.account.address.replace(/.$/, '0')), false);
    assert.equal(await evm.reader.getCode({ address: future }), undefined);

    await evm.included(await owner.sendTransaction({ to: factory, data: concatHex([salt, code]), gas: 2_000_000n }));
    assert.equal(await verify(wrap(await sign(owner)), future), true);
    assert.equal(await verify(await sign(owner), future), true);
  });

  test('an unavailable chain is an error, not a refusal of the contract’s signature', async () => {
    const rpc = await startBentNode(evm.node.url, () => ({ error: { code: -32005, message: 'rate limit exceeded' } }));
    await assert.rejects(evm.adapt({ rpc }).verifyContractSignature(wallet, TEXT, await sign(owner)), ChainUnavailable);
  });
});
