/** The reads of accounts. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { IdentityContext } from './identity-context.ts';
import { presentUser, presentWallet } from './present.ts';
import { findUser, findUserByUsername, listWallets } from './repository.ts';
import { isReservedUsername, isValidUsername } from './usernames.ts';

export function identityQueries({
  database: { db },
  serviceName,
}: IdentityContext): Pick<HandlersOf<'auth'>, 'user' | 'checkUsername' | 'whoami'> {
  return {
    async user(_input, { caller }) {
      const user = caller.user && (await findUser(db, caller.user.id));
      if (user === undefined) throw new MarketError('user_not_found');
      const wallets = await listWallets(db, user.id);
      return { data: { user: presentUser(user), wallets: wallets.map(presentWallet), is_new: false, backfilled: { agents: 0 } } };
    },

    async checkUsername({ u: username }) {
      if (!isValidUsername(username)) return { data: { available: false, reason: 'invalid' } };
      if (isReservedUsername(username, serviceName)) return { data: { available: false, reason: 'reserved' } };
      const holder = await findUserByUsername(db, username);
      return { data: holder === undefined ? { available: true, reason: null } : { available: false, reason: 'taken' } };
    },

    async whoami(_input, { caller: { agent, user, wallet } }) {
      const account = user && (await findUser(db, user.id));
      return {
        data: {
          agent: agent === undefined ? null : { agent_id: agent.id, name: agent.name },
          user:
            user === undefined
              ? null
              : {
                  idp_user_id: user.id,
                  name: account?.displayName ?? account?.providerName ?? account?.username ?? user.identity.name ?? null,
                  admin: user.admin,
                },
          wallet:
            wallet === undefined
              ? null
              : { chain: wallet.chain, address: wallet.address, proof: wallet.proof === 'session' ? 'session' : 'signature' },
        },
      };
    },
  };
}
