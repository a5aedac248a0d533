import { Component, type ReactNode } from 'react';
import { FailedPage } from '../shell/instead.tsx';

/** An error while rendering one page leaves the rest of the site usable. */
export class PageBoundary extends Component<{ readonly children: ReactNode }, { readonly broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    return this.state.broken ? <FailedPage failure={undefined} /> : this.props.children;
  }
}
