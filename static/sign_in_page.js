// Whoever is signed out is sent to the sign-in, and its page comes in place of what was asked for.
export const SIGN_IN = "/accounts/login";

export function isSignInPage(address) {
  return Boolean(address) && new URL(address).pathname.startsWith(SIGN_IN);
}
