/** Accounts of the identity provider, the wallets linked to them, and wallet sessions. */
import type { HandlersOf } from '../../../access/call.ts';
import { challenge } from './commands/challenge.ts';
import { exchangeCode } from './commands/exchange-code.ts';
import { linkWallet, undoLink, unlinkWallet } from './commands/link-wallet.ts';
import { createSession, endSession } from './commands/sessions.ts';
import { signIn } from './commands/sign-in.ts';
import { updateUser } from './commands/update-user.ts';
import type { IdentityContext } from './identity-context.ts';
import { identityQueries } from './queries.ts';

export function identityHandlers(context: IdentityContext): HandlersOf<'auth'> {
  return {
    ...identityQueries(context),
    exchangeCode: exchangeCode(context),
    signIn: signIn(context),
    updateUser: updateUser(context),
    createSession: createSession(context),
    endSession: endSession(context),
    linkWallet: linkWallet(context),
    unlinkWallet: unlinkWallet(context),
    undoLink: undoLink(context),
    challenge: challenge(context),
  };
}

export { ensureUser } from './ensure-user.ts';
export { keepAvatar } from './keep-avatar.ts';
export { publicNameBeside } from './public-name-repository.ts';
export {
  findUser,
  findUserByUsername,
  findWalletLink,
  findWalletProfile,
  forgetHiddenNames,
  forgetProfile,
  forgetWalletProfile,
  listWallets,
  lockAccountCreation,
  renewLinks,
  saveWalletProfile,
  showWallets,
  updateUser as writeUser,
} from './repository.ts';
