/** Signing in. */

export { AuthScreen } from "./auth-screen";
