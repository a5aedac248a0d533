import { useSyncExternalStore } from 'react';

function onConnectionChange(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** Shown below the masthead while the browser is offline. The page keeps its contents. */
export function OfflineStrip() {
  const online = useSyncExternalStore(
    onConnectionChange,
    () => navigator.onLine,
    () => true,
  );
  if (online) return null;
  return (
    <div className="offline" role="status">
      <div className="wrap">No connection. You see what was loaded before; nothing is sent until the connection is back.</div>
    </div>
  );
}
