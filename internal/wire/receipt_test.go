package wire

import (
	"testing"

	"github.com/sightline-io/sightline"
)

// A receipt says what it knows in a fixed order, lines counted from one, and leaves out the rest.
func TestReceiptJSON(t *testing.T) {
	ref, err := sightline.ParseRef("sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	if err != nil {
		t.Fatal(err)
	}
	lines := []sightline.Lines{{From: 3, To: 5}, {From: 9, To: 9}}
	for _, c := range []struct {
		r    sightline.Receipt
		want string
	}{
		{sightline.Receipt{Seq: 7, At: 12, Verb: "resume", Count: 1, Last: 12}, `{"v":1,"seq":7,"at":12,"verb":"resume"}`},
		{sightline.Receipt{Seq: 8, At: 12, Session: "a", Verb: "edit", Code: sightline.Stale, Missing: lines[:1], Drifted: lines,
			Delivered: lines[:1], Count: 3, Last: 40, Cut: 2},
			`{"v":1,"seq":8,"at":12,"session":"a","verb":"edit","code":"stale","missing":[[4,5]],"drifted":[[4,5],[10,9]],"delivered":[[4,5]],"count":3,"last":40,"cut":2}`},
		{sightline.Receipt{Seq: 9, Verb: "edit", Touched: lines[:1], Before: ref, After: ref, Durability: "durable", Count: 1},
			`{"v":1,"seq":9,"at":0,"verb":"edit","touched":[[4,5]],"before":"` + ref.String() + `","after":"` + ref.String() + `","durability":"durable"}`},
	} {
		if got := string(ReceiptJSON(&c.r)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
