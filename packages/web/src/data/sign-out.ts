import { useNavigation } from '../router/router.tsx';
import { sitePaths } from '../site-paths.ts';
import { useAction } from './answers.ts';
import { useSessionChanged } from './session.ts';

/** Ends the session of this browser and opens the home page. */
export function useSignOut() {
  const { navigate } = useNavigation();
  const sessionChanged = useSessionChanged();
  return useAction('auth.endSession', { onDone: () => void sessionChanged().then(() => navigate(sitePaths.home)) });
}
